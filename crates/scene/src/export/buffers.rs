//! Binary data of a glTF file and the accessors that describe it.

use glam::{Mat4, Quat, Vec3};
use serde_json::{Value, json};

use super::ExportError;

/// What a run of bytes is for: glTF lets no two of these share a view.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Keys,
    Matrices,
    Vertices,
    Indices,
}

/// The binary chunk under construction: arrays go in, indices of accessors come out.
#[derive(Default)]
pub(super) struct Buffers {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    /// The view that keys share, while it is the last one.
    keys_view: Option<usize>,
}

impl Buffers {
    /// Times of keys (s).
    pub(super) fn times(&mut self, times: &[f32]) -> usize {
        let bounds = bounds(times.iter().map(|time| [*time]));
        self.add(
            Target::Keys,
            times.len(),
            "SCALAR",
            5126,
            bounds,
            times.iter().flat_map(|t| t.to_le_bytes()),
        )
    }

    /// Weights of morph targets over time (-).
    pub(super) fn scalars(&mut self, values: &[f32]) -> usize {
        self.add(
            Target::Keys,
            values.len(),
            "SCALAR",
            5126,
            None,
            values.iter().flat_map(|v| v.to_le_bytes()),
        )
    }

    /// Translations or scales over time.
    pub(super) fn vectors(&mut self, vectors: &[Vec3]) -> usize {
        let bytes = vectors.iter().flat_map(|vector| floats(vector.to_array()));
        self.add(Target::Keys, vectors.len(), "VEC3", 5126, None, bytes)
    }

    pub(super) fn rotations(&mut self, rotations: &[Quat]) -> usize {
        let bytes = rotations.iter().flat_map(|rotation| floats(rotation.to_array()));
        self.add(Target::Keys, rotations.len(), "VEC4", 5126, None, bytes)
    }

    pub(super) fn matrices(&mut self, matrices: &[Mat4]) -> usize {
        let bytes = matrices.iter().flat_map(|matrix| floats(matrix.to_cols_array()));
        self.add(Target::Matrices, matrices.len(), "MAT4", 5126, None, bytes)
    }

    /// Positions of vertices (m).
    pub(super) fn positions(&mut self, positions: &[Vec3]) -> usize {
        let bounds = bounds(positions.iter().map(|position| position.to_array()));
        let bytes = positions.iter().flat_map(|position| floats(position.to_array()));
        self.add(Target::Vertices, positions.len(), "VEC3", 5126, bounds, bytes)
    }

    pub(super) fn normals(&mut self, normals: &[Vec3]) -> usize {
        let bytes = normals.iter().flat_map(|normal| floats(normal.to_array()));
        self.add(Target::Vertices, normals.len(), "VEC3", 5126, None, bytes)
    }

    pub(super) fn weights(&mut self, weights: &[[f32; 4]]) -> usize {
        let bytes = weights.iter().flat_map(|weights| floats(*weights));
        self.add(Target::Vertices, weights.len(), "VEC4", 5126, None, bytes)
    }

    /// Joints of vertices, in as few bytes as they need.
    pub(super) fn joints(&mut self, joints: &[[u16; 4]]) -> usize {
        let numbers = joints.iter().flatten();
        if joints.iter().flatten().all(|joint| *joint < 256) {
            let bytes = numbers.map(|joint| *joint as u8);
            return self.add(Target::Vertices, joints.len(), "VEC4", 5121, None, bytes);
        }
        let bytes = numbers.flat_map(|joint| joint.to_le_bytes());
        self.add(Target::Vertices, joints.len(), "VEC4", 5123, None, bytes)
    }

    /// Brightness of vertices from 0 to 1, as grey colours.
    pub(super) fn tones(&mut self, tones: &[f32]) -> usize {
        let bytes = tones.iter().flat_map(|tone| {
            let byte = (tone.clamp(0.0, 1.0) * 255.0).round() as u8;
            [byte, byte, byte, 255]
        });
        let accessor = self.add(Target::Vertices, tones.len(), "VEC4", 5121, None, bytes);
        self.accessors[accessor]["normalized"] = json!(true);
        accessor
    }

    pub(super) fn indices(&mut self, indices: &[u32]) -> usize {
        if indices.iter().all(|index| *index < u32::from(u16::MAX)) {
            let bytes = indices.iter().flat_map(|index| (*index as u16).to_le_bytes());
            return self.add(Target::Indices, indices.len(), "SCALAR", 5123, None, bytes);
        }
        let bytes = indices.iter().flat_map(|index| index.to_le_bytes());
        self.add(Target::Indices, indices.len(), "SCALAR", 5125, None, bytes)
    }

    fn add(
        &mut self,
        target: Target,
        count: usize,
        kind: &str,
        component: u32,
        bounds: Option<(Vec<f32>, Vec<f32>)>,
        bytes: impl Iterator<Item = u8>,
    ) -> usize {
        let start = self.bytes.len();
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let length = self.bytes.len() - start;
        let shared = self.keys_view.filter(|view| target == Target::Keys && *view + 1 == self.views.len());
        let view = shared.unwrap_or_else(|| {
            let mut view = json!({"buffer": 0, "byteOffset": start, "byteLength": 0});
            match target {
                Target::Keys => self.keys_view = Some(self.views.len()),
                Target::Matrices => {}
                Target::Vertices => view["target"] = json!(34962),
                Target::Indices => view["target"] = json!(34963),
            }
            self.views.push(view);
            self.views.len() - 1
        });
        let view_start = self.views[view]["byteOffset"].as_u64().unwrap_or_default() as usize;
        self.views[view]["byteLength"] = json!(start + length - view_start);
        let mut accessor = json!({
            "bufferView": view,
            "byteOffset": start - view_start,
            "componentType": component,
            "count": count,
            "type": kind,
        });
        if let Some((low, high)) = bounds {
            accessor["min"] = json!(low);
            accessor["max"] = json!(high);
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// The finished GLB of a document without its binary parts.
    pub(super) fn into_glb(self, mut document: Value) -> Result<Vec<u8>, ExportError> {
        if !self.bytes.is_empty() {
            document["buffers"] = json!([{"byteLength": self.bytes.len()}]);
            document["bufferViews"] = Value::Array(self.views);
            document["accessors"] = Value::Array(self.accessors);
        }
        let mut text = document.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let total = 12 + 8 + text.len() as u64 + 8 + self.bytes.len() as u64;
        let size = |length: usize| u32::try_from(length).map_err(|_| ExportError::TooLarge(total));
        let header = u32::try_from(total).map_err(|_| ExportError::TooLarge(total))?;
        let mut out = Vec::with_capacity(header as usize);
        out.extend_from_slice(b"glTF");
        out.extend_from_slice(&2u32.to_le_bytes());
        out.extend_from_slice(&header.to_le_bytes());
        for (kind, chunk) in [(b"JSON", &text), (b"BIN\0", &self.bytes)] {
            out.extend_from_slice(&size(chunk.len())?.to_le_bytes());
            out.extend_from_slice(kind);
            out.extend_from_slice(chunk);
        }
        Ok(out)
    }
}

fn floats<const N: usize>(numbers: [f32; N]) -> impl Iterator<Item = u8> {
    numbers.into_iter().flat_map(f32::to_le_bytes)
}

/// The smallest and the largest of each number.
fn bounds<const N: usize>(elements: impl Iterator<Item = [f32; N]>) -> Option<(Vec<f32>, Vec<f32>)> {
    let (low, high) = elements.fold(([f32::INFINITY; N], [f32::NEG_INFINITY; N]), |(low, high), element| {
        let pick = |a: [f32; N], by: fn(f32, f32) -> f32| std::array::from_fn(|idx| by(a[idx], element[idx]));
        (pick(low, f32::min), pick(high, f32::max))
    });
    Some((low.to_vec(), high.to_vec()))
}
