//! Numbers out of buffers: accessors with bounds, strides, normalised integers and sparse parts checked.

use std::rc::Rc;

use super::bad;
use super::json::{Accessor, Root, SparsePart};
use super::uri::{Fetcher, shorten};
use crate::formats::ImportError;

/// The shape of an accessor's elements that a reader asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Scalar,
    Vec3,
    Vec4,
    Mat4,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Scalar => "SCALAR",
            Kind::Vec3 => "VEC3",
            Kind::Vec4 => "VEC4",
            Kind::Mat4 => "MAT4",
        }
    }

    /// Numbers per element.
    pub(super) fn width(self) -> usize {
        match self {
            Kind::Scalar => 1,
            Kind::Vec3 => 3,
            Kind::Vec4 => 4,
            Kind::Mat4 => 16,
        }
    }
}

/// Reads accessors of one file, within a budget of memory.
pub(super) struct Reader<'a> {
    root: &'a Root,
    buffers: Vec<Rc<[u8]>>,
    /// Numbers that may still be decoded.
    budget: usize,
}

/// How many numbers may be decoded per byte of all buffers: a file whose accessors all point at the same
/// bytes must not make us hold its size times their number. One is what a normalised byte needs; the
/// rest is for accessors that overlap on purpose.
const NUMBERS_PER_BYTE: usize = 4;

/// Numbers that may be decoded however small the buffers: accessors without any hold zeros.
const FREE_NUMBERS: usize = 1 << 18;

impl<'a> Reader<'a> {
    /// Fetches all buffers.
    pub(super) fn new(
        root: &'a Root,
        binary: Option<&[u8]>,
        fetcher: &mut Fetcher<'_>,
    ) -> Result<Reader<'a>, ImportError> {
        let mut buffers = Vec::new();
        let mut distinct_bytes = 0usize;
        for (idx, buffer) in root.buffers.iter().enumerate() {
            let element = format!("buffers[{idx}]");
            let bytes: Rc<[u8]> = match &buffer.uri {
                Some(uri) => fetcher.fetch(uri, &format!("{element}.uri"))?,
                None if idx == 0 && binary.is_some() => Rc::from(binary.unwrap_or_default()),
                // A buffer without source may stand for extensions; it matters once an accessor uses it.
                None => Rc::from([]),
            };
            if buffer.uri.is_some() || (idx == 0 && binary.is_some()) {
                let found = format!("{} bytes", bytes.len());
                if bytes.len() < buffer.byte_length {
                    return Err(bad(
                        element,
                        format!("{} bytes as byteLength says", buffer.byte_length),
                        found,
                    ));
                }
            }
            if !buffers.iter().any(|other| Rc::ptr_eq(other, &bytes)) {
                distinct_bytes = distinct_bytes.saturating_add(bytes.len());
            }
            buffers.push(bytes);
        }
        let budget = distinct_bytes.saturating_mul(NUMBERS_PER_BYTE).saturating_add(FREE_NUMBERS);
        Ok(Reader { root, buffers, budget })
    }

    /// All numbers of an accessor, element after element, and how many elements there are.
    ///
    /// `from` names the place that refers to the accessor. Integers come out as reals from -1 to 1.
    pub(super) fn read(&mut self, idx: usize, kind: Kind, from: &str) -> Result<Vec<f32>, ImportError> {
        let accessor = (self.root.accessors.get(idx)).ok_or_else(|| missing(from, "accessors", idx))?;
        let element = format!("accessors[{idx}]");
        if accessor.kind != kind.name() {
            let place = format!("{element}.type");
            return Err(bad(place, format!("{} (used by {from})", kind.name()), shorten(&accessor.kind)));
        }
        let component = Component::of(accessor.component_type, accessor.normalized)
            .ok_or_else(|| component_error(&element, accessor))?;
        let n_numbers = accessor.count.checked_mul(kind.width()).filter(|numbers| *numbers <= self.budget);
        let n_numbers = n_numbers.ok_or_else(|| {
            let expected = format!("at most {} numbers, in proportion to the file", self.budget);
            bad(format!("{element}.count"), expected, format!("{} × {}", accessor.count, kind.width()))
        })?;
        self.budget -= n_numbers;

        let mut numbers = match accessor.buffer_view {
            None => vec![0.0; n_numbers],
            Some(view) => {
                let part = Part {
                    view,
                    byte_offset: accessor.byte_offset,
                    component,
                    width: kind.width(),
                    count: accessor.count,
                };
                self.decode(part, &element)?
            }
        };
        if let Some(sparse) = &accessor.sparse {
            let element = format!("{element}.sparse");
            if sparse.count > accessor.count {
                let expected = format!("at most {} replaced elements", accessor.count);
                return Err(bad(format!("{element}.count"), expected, sparse.count.to_string()));
            }
            self.replace(
                &mut numbers,
                kind.width(),
                component,
                sparse.count,
                [&sparse.indices, &sparse.values],
                &element,
            )?;
        }
        if let Some(at) = numbers.iter().position(|number| !number.is_finite()) {
            let place = format!("{element}[{}]", at / kind.width());
            return Err(bad(place, "a finite number", numbers[at].to_string()));
        }
        Ok(numbers)
    }

    /// Replaces the elements that the sparse part lists.
    fn replace(
        &self,
        numbers: &mut [f32],
        width: usize,
        component: Component,
        count: usize,
        [indices, values]: [&SparsePart; 2],
        element: &str,
    ) -> Result<(), ImportError> {
        let index_type = indices.component_type.and_then(Index::of).ok_or_else(|| {
            let expected = "5121 (u8), 5123 (u16) or 5125 (u32)";
            bad(format!("{element}.indices.componentType"), expected, format!("{:?}", indices.component_type))
        })?;
        let place = format!("{element}.indices");
        let list = Part {
            view: indices.buffer_view,
            byte_offset: indices.byte_offset,
            component: Component::F32,
            width: 1,
            count,
        };
        let raw = self.bytes_of(&list, index_type.size(), &place)?;
        let place_of_values = format!("{element}.values");
        let part =
            Part { view: values.buffer_view, byte_offset: values.byte_offset, component, width, count };
        let replacements = self.decode(part, &place_of_values)?;
        let mut previous = None;
        for (number, replacement) in replacements.chunks_exact(width).enumerate() {
            let at = index_type.read(&raw.bytes[number * raw.stride..]);
            if previous.is_some_and(|previous| at <= previous) {
                return Err(bad(format!("{place}[{number}]"), "strictly increasing indices", at.to_string()));
            }
            previous = Some(at);
            let target = at.checked_mul(width).and_then(|start| numbers.get_mut(start..start + width));
            let target = target.ok_or_else(|| {
                bad(format!("{place}[{number}]"), "an element of the accessor", at.to_string())
            })?;
            target.copy_from_slice(replacement);
        }
        Ok(())
    }

    fn decode(&self, part: Part, element: &str) -> Result<Vec<f32>, ImportError> {
        let size = part.component.size();
        let raw = self.bytes_of(&part, size * part.width, element)?;
        let mut out = Vec::with_capacity(part.count * part.width);
        for number in 0..part.count {
            let bytes = &raw.bytes[number * raw.stride..][..size * part.width];
            out.extend(bytes.chunks_exact(size).map(|bytes| part.component.read(bytes)));
        }
        Ok(out)
    }

    /// The bytes of `count` elements of `size` bytes each, checked to lie inside view and buffer.
    fn bytes_of(&self, part: &Part, size: usize, element: &str) -> Result<Raw<'_>, ImportError> {
        let place = format!("{element}.bufferView");
        let view = (self.root.buffer_views.get(part.view))
            .ok_or_else(|| missing(&place, "bufferViews", part.view))?;
        let view_element = format!("bufferViews[{}]", part.view);
        if let Some(extension) = view.extensions.keys().next() {
            return Err(bad(
                view_element,
                "a plain buffer view",
                format!("the extension {}", shorten(extension)),
            ));
        }
        let buffer = (self.buffers.get(view.buffer))
            .ok_or_else(|| missing(&format!("{view_element}.buffer"), "buffers", view.buffer))?;
        let bytes = (view.byte_offset.checked_add(view.byte_length))
            .and_then(|end| buffer.get(view.byte_offset..end))
            .ok_or_else(|| {
                let found = format!("{} from {}", view.byte_length, view.byte_offset);
                let expected = format!("a range of buffers[{}] with its {} bytes", view.buffer, buffer.len());
                bad(view_element.as_str(), expected, found)
            })?;
        let stride = view.byte_stride.unwrap_or(size);
        if stride < size {
            let place = format!("{view_element}.byteStride");
            return Err(bad(place, format!("at least {size}, the size of an element"), stride.to_string()));
        }
        let needed = match part.count {
            0 => Some(0),
            count => (count - 1).checked_mul(stride).and_then(|bytes| bytes.checked_add(size)),
        };
        let end = needed.and_then(|needed| part.byte_offset.checked_add(needed));
        let range = end.and_then(|end| bytes.get(part.byte_offset..end));
        let bytes = range.ok_or_else(|| {
            let expected = format!(
                "room in {view_element} for {} elements of {size} bytes, {stride} apart, from byte {}",
                part.count, part.byte_offset
            );
            bad(element, expected, format!("{} bytes", bytes.len()))
        })?;
        Ok(Raw { bytes, stride })
    }
}

/// A run of elements in a buffer view.
struct Part {
    view: usize,
    byte_offset: usize,
    component: Component,
    width: usize,
    count: usize,
}

struct Raw<'a> {
    bytes: &'a [u8],
    stride: usize,
}

/// What a number is stored as.
#[derive(Clone, Copy, Debug)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    F32,
}

impl Component {
    /// `None` for types that cannot hold reals: those of indices, and integers that are not normalised.
    fn of(code: u32, normalized: bool) -> Option<Component> {
        match (code, normalized) {
            (5120, true) => Some(Component::I8),
            (5121, true) => Some(Component::U8),
            (5122, true) => Some(Component::I16),
            (5123, true) => Some(Component::U16),
            (5126, false) => Some(Component::F32),
            _ => None,
        }
    }

    fn size(self) -> usize {
        match self {
            Component::I8 | Component::U8 => 1,
            Component::I16 | Component::U16 => 2,
            Component::F32 => 4,
        }
    }

    /// Reads a number; `bytes` holds exactly [`Component::size`] of them.
    fn read(self, bytes: &[u8]) -> f32 {
        match (self, bytes) {
            (Component::I8, &[a]) => (f32::from(a as i8) / 127.0).max(-1.0),
            (Component::U8, &[a]) => f32::from(a) / 255.0,
            (Component::I16, &[a, b]) => (f32::from(i16::from_le_bytes([a, b])) / 32767.0).max(-1.0),
            (Component::U16, &[a, b]) => f32::from(u16::from_le_bytes([a, b])) / 65535.0,
            (Component::F32, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]),
            _ => unreachable!("chunks have the size of a component"),
        }
    }
}

/// What the indices of a sparse accessor are stored as.
#[derive(Clone, Copy)]
enum Index {
    U8,
    U16,
    U32,
}

impl Index {
    fn of(code: u32) -> Option<Index> {
        match code {
            5121 => Some(Index::U8),
            5123 => Some(Index::U16),
            5125 => Some(Index::U32),
            _ => None,
        }
    }

    fn size(self) -> usize {
        match self {
            Index::U8 => 1,
            Index::U16 => 2,
            Index::U32 => 4,
        }
    }

    fn read(self, bytes: &[u8]) -> usize {
        let mut word = [0; 4];
        word[..self.size()].copy_from_slice(&bytes[..self.size()]);
        u32::from_le_bytes(word) as usize
    }
}

fn component_error(element: &str, accessor: &Accessor) -> ImportError {
    let found = format!("{}, normalized: {}", accessor.component_type, accessor.normalized);
    let expected = "5126 (f32), or 5120 to 5123 (8 and 16 bit integers) normalised";
    bad(format!("{element}.componentType"), expected, found)
}

/// A reference to something that is not there.
pub(super) fn missing(from: &str, list: &str, idx: usize) -> ImportError {
    bad(from, format!("an index into {list}"), format!("{idx}, which is not there"))
}
