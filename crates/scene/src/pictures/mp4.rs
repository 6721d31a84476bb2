//! MP4: H.264 by OpenH264, in a file that begins to play before it is read to its end.
//!
//! The file holds one track: `ftyp`, `moov` with the sizes and places of all frames, `mdat` with the frames.
//! The boxes are written here because the muxer that goes with OpenH264, `minimp4-sys`, needs libclang to build.

use openh264::OpenH264API;
use openh264::encoder::{
    BitRate, Complexity, Encoder, EncoderConfig, IntraFramePeriod, QpRange, RateControlMode, VuiConfig,
};
use openh264::formats::YUVSlices;
use randori_motion::FrameRate;

use super::animation::batch_size;
use super::{PictureError, Progress, Studio};

pub(super) fn encode(
    studio: &Studio<'_>,
    moments: &[f64],
    rate: FrameRate,
    progress: Progress<'_>,
) -> Result<Vec<u8>, PictureError> {
    let failed = PictureError::encode("MP4");
    let (width, height) = (studio.width as usize, studio.height as usize);
    // Colours are stored for squares of two by two pixels.
    if width % 2 == 1 || height % 2 == 1 || width < 16 || height < 16 {
        return Err(PictureError::Option {
            what: "the size of an MP4",
            expected: "even numbers of pixels, at least 16",
            found: format!("{width} x {height}"),
        });
    }
    let config = EncoderConfig::new()
        // One thread: the same bytes on any machine.
        .num_threads(1)
        .skip_frames(false)
        .rate_control_mode(RateControlMode::Off)
        .qp(QpRange::new(22, 26))
        .bitrate(BitRate::from_bps(50_000_000))
        .complexity(Complexity::Medium)
        .intra_frame_period(IntraFramePeriod::from_num_frames((2.0 * rate.fps()).clamp(1.0, 600.0) as u32))
        .max_frame_rate(openh264::encoder::FrameRate::from_hz(rate.fps() as f32))
        .vui(VuiConfig::bt709());
    let mut encoder =
        Encoder::with_api_config(OpenH264API::from_source(), config).map_err(|error| failed(&error))?;

    let mut track = Track::default();
    let mut n_done = 0;
    for batch in moments.chunks(batch_size(studio)) {
        for planes in studio.frames(batch, |rgb| Planes::of(rgb, width))? {
            let source = YUVSlices::new(
                (&planes.luma, &planes.blue, &planes.red),
                (width, height),
                (width, width / 2, width / 2),
            );
            let stream = encoder.encode(&source).map_err(|error| failed(&error))?;
            track.push(&stream.to_vec());
            n_done += 1;
            progress(n_done, moments.len());
        }
    }
    track.file(width, height, rate).ok_or_else(|| failed(&"the encoder gave no parameters, or over 4 GB"))
}

/// A picture as BT.709 brightness and two colour differences, 16 to 235 and 16 to 240.
struct Planes {
    luma: Vec<u8>,
    blue: Vec<u8>,
    red: Vec<u8>,
}

impl Planes {
    fn of(rgb: &[u8], width: usize) -> Planes {
        let part = |pixel: &[u8], k: usize| f32::from(pixel[k]);
        let luma = |pixel: &[u8]| {
            16.5 + 0.18259 * part(pixel, 0) + 0.61423 * part(pixel, 1) + 0.06201 * part(pixel, 2)
        };
        let mut planes = Planes {
            luma: rgb.chunks_exact(3).map(|pixel| luma(pixel) as u8).collect(),
            blue: Vec::with_capacity(rgb.len() / 12),
            red: Vec::with_capacity(rgb.len() / 12),
        };
        for pair in rgb.chunks_exact(2 * 3 * width) {
            let (upper, lower) = pair.split_at(3 * width);
            for (upper, lower) in upper.chunks_exact(6).zip(lower.chunks_exact(6)) {
                let mean = |k: usize| {
                    0.25 * (part(upper, k) + part(upper, k + 3) + part(lower, k) + part(lower, k + 3))
                };
                let [r, g, b] = [mean(0), mean(1), mean(2)];
                planes.blue.push((128.5 - 0.10064 * r - 0.33857 * g + 0.43922 * b) as u8);
                planes.red.push((128.5 + 0.43922 * r - 0.39894 * g - 0.04027 * b) as u8);
            }
        }
        planes
    }
}

/// The frames of one video track.
#[derive(Default)]
struct Track {
    /// All frames, each unit after its length.
    data: Vec<u8>,
    sizes: Vec<u32>,
    /// Frames from which a player may start, counted from 1.
    keys: Vec<u32>,
    sequence_parameters: Vec<u8>,
    picture_parameters: Vec<u8>,
}

impl Track {
    /// Adds a frame given as H.264's stream of units behind start codes.
    fn push(&mut self, stream: &[u8]) {
        let start = self.data.len();
        let mut key = false;
        for unit in units(stream) {
            // The kind of a unit stands in the lower five bits of its first byte.
            match unit.first().map_or(0, |byte| byte & 0x1f) {
                7 => self.sequence_parameters = unit.to_vec(),
                8 => self.picture_parameters = unit.to_vec(),
                kind => {
                    key |= kind == 5;
                    self.data.extend((unit.len() as u32).to_be_bytes());
                    self.data.extend_from_slice(unit);
                }
            }
        }
        self.sizes.push((self.data.len() - start) as u32);
        if key {
            self.keys.push(self.sizes.len() as u32);
        }
    }

    /// The whole file; `None` without parameters or beyond what 32-bit places can hold.
    fn file(&self, width: usize, height: usize, rate: FrameRate) -> Option<Vec<u8>> {
        let [_, profile, constraints, level, ..] = self.sequence_parameters[..] else { return None };
        if self.picture_parameters.is_empty() || self.data.len() > u32::MAX as usize / 2 {
            return None;
        }
        let (timescale, delta) = rate.fraction();
        let n_frames = self.sizes.len() as u32;
        let duration = n_frames.checked_mul(delta)?;
        let file_type = make_box(b"ftyp", &[b"isom", &[0, 0, 2, 0], b"isomiso2avc1mp41"]);

        // A whole movie in the same units as its only track.
        let movie = full_box(b"mvhd", 0, |out| {
            out.words(&[0, 0, timescale, duration, 0x0001_0000]);
            out.halves(&[0x0100, 0]);
            out.words(&[0, 0]);
            out.words(&IDENTITY);
            out.words(&[0, 0, 0, 0, 0, 0, 2]);
        });
        let track_header = full_box(b"tkhd", 3, |out| {
            out.words(&[0, 0, 1, 0, duration, 0, 0]);
            out.halves(&[0, 0, 0, 0]);
            out.words(&IDENTITY);
            out.words(&[(width as u32) << 16, (height as u32) << 16]);
        });
        let media_header = full_box(b"mdhd", 0, |out| {
            out.words(&[0, 0, timescale, duration]);
            // No language.
            out.halves(&[0x55c4, 0]);
        });
        let handler = full_box(b"hdlr", 0, |out| {
            out.words(&[0]);
            out.bytes(b"vide");
            out.words(&[0, 0, 0]);
            out.bytes(b"video\0");
        });
        let video_header = full_box(b"vmhd", 1, |out| out.halves(&[0, 0, 0, 0]));
        let here = full_box(b"url ", 1, |_| {});
        let references = full_box(b"dref", 0, |out| {
            out.words(&[1]);
            out.bytes(&here);
        });
        let information = make_box(b"dinf", &[&references]);

        let mut configuration = Fields(vec![1, profile, constraints, level, 0xff, 0xe1]);
        configuration.halves(&[self.sequence_parameters.len() as u16]);
        configuration.bytes(&self.sequence_parameters);
        configuration.bytes(&[1]);
        configuration.halves(&[self.picture_parameters.len() as u16]);
        configuration.bytes(&self.picture_parameters);
        let configuration = make_box(b"avcC", &[&configuration.0]);
        let mut entry = Fields(vec![0; 6]);
        entry.halves(&[1]);
        entry.words(&[0, 0, 0, 0]);
        entry.halves(&[width as u16, height as u16]);
        // 72 dots per inch, one frame per sample, no name, 24 bits.
        entry.words(&[0x0048_0000, 0x0048_0000, 0]);
        entry.halves(&[1]);
        entry.bytes(&[0; 32]);
        entry.halves(&[0x18, 0xffff]);
        let entry = make_box(b"avc1", &[&entry.0, &configuration]);
        let description = full_box(b"stsd", 0, |out| {
            out.words(&[1]);
            out.bytes(&entry);
        });
        let times = full_box(b"stts", 0, |out| out.words(&[1, n_frames, delta]));
        let keys = full_box(b"stss", 0, |out| {
            out.words(&[self.keys.len() as u32]);
            out.words(&self.keys);
        });
        let chunks = full_box(b"stsc", 0, |out| out.words(&[1, 1, n_frames, 1]));
        let sizes = full_box(b"stsz", 0, |out| {
            out.words(&[0, n_frames]);
            out.words(&self.sizes);
        });
        let movie_box = |place: u32| {
            let places = full_box(b"stco", 0, |out| out.words(&[1, place]));
            let table = make_box(b"stbl", &[&description, &times, &keys, &chunks, &sizes, &places]);
            let media_information = make_box(b"minf", &[&video_header, &information, &table]);
            let media = make_box(b"mdia", &[&media_header, &handler, &media_information]);
            let track = make_box(b"trak", &[&track_header, &media]);
            make_box(b"moov", &[&movie, &track])
        };
        // The place of the frames follows from the length of what stands before them.
        let place = file_type.len() + movie_box(0).len() + 8;
        let data = make_box(b"mdat", &[&self.data]);
        Some([file_type, movie_box(place as u32), data].concat())
    }
}

/// Units between start codes (two or more zeros and a one).
fn units(stream: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut starts: Vec<usize> = Vec::new();
    let mut at = 0;
    while let Some(found) =
        stream.get(at..).and_then(|rest| rest.windows(3).position(|code| code == [0, 0, 1]))
    {
        starts.push(at + found + 3);
        at += found + 3;
    }
    let ends: Vec<usize> = starts.iter().skip(1).map(|start| start - 3).chain([stream.len()]).collect();
    starts.into_iter().zip(ends).map(move |(start, end)| {
        let unit = &stream[start..end];
        // Zeros before the next start code belong to the code.
        let zeros = unit.iter().rev().take_while(|byte| **byte == 0).count();
        &unit[..unit.len() - zeros]
    })
}

const IDENTITY: [u32; 9] = [0x0001_0000, 0, 0, 0, 0x0001_0000, 0, 0, 0, 0x4000_0000];

/// Big-endian numbers one after the other.
struct Fields(Vec<u8>);

impl Fields {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn halves(&mut self, numbers: &[u16]) {
        numbers.iter().for_each(|number| self.bytes(&number.to_be_bytes()));
    }

    fn words(&mut self, numbers: &[u32]) {
        numbers.iter().for_each(|number| self.bytes(&number.to_be_bytes()));
    }
}

/// Length, name, contents.
fn make_box(name: &[u8; 4], contents: &[&[u8]]) -> Vec<u8> {
    let length = 8 + contents.iter().map(|part| part.len()).sum::<usize>();
    let mut bytes = (length as u32).to_be_bytes().to_vec();
    bytes.extend_from_slice(name);
    contents.iter().for_each(|part| bytes.extend_from_slice(part));
    bytes
}

/// A box of version 0 with flags.
fn full_box(name: &[u8; 4], flags: u32, fill: impl FnOnce(&mut Fields)) -> Vec<u8> {
    let mut fields = Fields(flags.to_be_bytes().to_vec());
    fill(&mut fields);
    make_box(name, &[&fields.0])
}
