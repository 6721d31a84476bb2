//! Files of pictures are read back by decoders that know nothing of how they were written.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as the tests themselves do")]

use std::io::Cursor;
use std::sync::Arc;

use randori_motion::{Body, Character, Event, EventKind, FrameRate, Take};
use randori_scene::pictures::{
    Animation, Format, Moments, PictureError, Sheet, Still, animation, sheet, still,
};
use randori_scene::render::{Camera, Renderer, Shot, Stage, Style};
use randori_testkit::toys;

fn two_people() -> Take {
    let mut take = Take::new("two", 1);
    for (name, seed, color) in [("blue", 1, [0.05, 0.22, 0.62]), ("red", 2, [0.62, 0.07, 0.05])] {
        let clip = toys::wriggling_person(seed, 61);
        let body = Arc::new(Body::of(Arc::clone(clip.skeleton()), 74.0, 1.0));
        take.characters.push(Character { name: name.to_owned(), color, body, enter: 0.0, clip });
    }
    take
}

fn small() -> Animation {
    Animation { width: 96, height: 64, rate: FrameRate::new(10, 1).unwrap(), ..Animation::default() }
}

fn quiet(take: &Take, format: Format, options: &Animation) -> Result<Vec<u8>, PictureError> {
    animation(take, format, options, &mut |_, _| {})
}

/// The frames as the renderer draws them.
fn drawn(take: &Take, options: &Animation) -> Vec<Vec<u8>> {
    let stage = Stage::new(take).unwrap();
    let shot =
        Shot::new(take, &options.camera, f64::from(options.width) / f64::from(options.height)).unwrap();
    let mut renderer = Renderer::new(options.width, options.height, options.style).unwrap();
    let moments = options.moments(take).unwrap();
    moments.iter().map(|t| renderer.draw(&stage, *t, &shot.view(*t)).to_vec()).collect()
}

fn decode_png(bytes: &[u8]) -> (u32, u32, Vec<u8>) {
    let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!(info.color_type, png::ColorType::Rgb);
    (info.width, info.height, pixels)
}

#[test]
fn stills_are_pngs_of_the_size_asked_for() {
    let options = Still { width: 123, height: 77, ..Still::default() };
    let (width, height, pixels) = decode_png(&still(&two_people(), 0.5, &options).unwrap());
    assert_eq!((width, height), (123, 77));
    assert!(pixels.chunks(3).any(|pixel| pixel[2] > pixel[0].saturating_add(40)), "blue is not seen");
    assert!(pixels.chunks(3).any(|pixel| pixel[0] > pixel[2].saturating_add(40)), "red is not seen");
}

#[test]
fn apngs_hold_every_frame_exactly() {
    let take = two_people();
    for camera in [Camera::Whole(Default::default()), Camera::default()] {
        let options = Animation { camera, ..small() };
        let expected = drawn(&take, &options);
        let bytes = quiet(&take, Format::Apng, &options).unwrap();
        let mut reader = png::Decoder::new(Cursor::new(&bytes)).read_info().unwrap();
        let control = reader.info().animation_control.unwrap();
        assert_eq!((control.num_frames as usize, control.num_plays), (expected.len(), 0));
        assert_eq!(expected.len(), 11);
        let mut canvas = vec![0; 96 * 64 * 3];
        for frame in &expected {
            let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
            reader.next_frame(&mut pixels).unwrap();
            let part = *reader.info().frame_control().unwrap();
            assert_eq!((part.delay_num, part.delay_den), (1, 10));
            for row in 0..part.height as usize {
                let width = part.width as usize * 3;
                let to = ((part.y_offset as usize + row) * 96 + part.x_offset as usize) * 3;
                canvas[to..to + width].copy_from_slice(&pixels[row * width..(row + 1) * width]);
            }
            assert!(canvas == *frame);
        }
    }
}

#[test]
fn gifs_are_close_to_every_frame() {
    let take = two_people();
    let options = small();
    let expected = drawn(&take, &options);
    let bytes = quiet(&take, Format::Gif, &options).unwrap();
    let mut decoder = gif::DecodeOptions::new();
    decoder.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = decoder.read_info(Cursor::new(&bytes)).unwrap();
    assert_eq!((decoder.width(), decoder.height()), (96, 64));
    let mut canvas = vec![0u8; 96 * 64 * 3];
    let (mut n_frames, mut hundredths) = (0, 0);
    while let Some(part) = decoder.read_next_frame().unwrap() {
        hundredths += u32::from(part.delay);
        for (at, pixel) in part.buffer.chunks(4).enumerate() {
            let (x, y) = (at % usize::from(part.width), at / usize::from(part.width));
            let to = ((usize::from(part.top) + y) * 96 + usize::from(part.left) + x) * 3;
            if pixel[3] > 0 {
                canvas[to..to + 3].copy_from_slice(&pixel[..3]);
            }
        }
        let off: u64 = (canvas.iter().zip(&expected[n_frames])).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
        let mean = off as f64 / canvas.len() as f64;
        assert!(mean < 3.0, "frame {n_frames} is off by {mean} of 255");
        n_frames += 1;
    }
    assert_eq!((n_frames, hundredths), (expected.len(), 110));
}

#[test]
fn delays_of_gifs_do_not_drift() {
    let take = two_people();
    let options = Animation { rate: FrameRate::new(30, 1).unwrap(), ..small() };
    let bytes = quiet(&take, Format::Gif, &options).unwrap();
    let mut decoder = gif::DecodeOptions::new().read_info(Cursor::new(&bytes)).unwrap();
    let mut delays = Vec::new();
    while let Some(part) = decoder.read_next_frame().unwrap() {
        delays.push(part.delay);
    }
    assert_eq!(delays.len(), 31);
    assert!(delays.iter().all(|delay| (3..=4).contains(delay)));
    assert_eq!(delays[..30].iter().sum::<u16>(), 100);
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let take = two_people();
    let on = |n_threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        pool.install(|| {
            let options = Sheet { columns: 3, rows: 2, cell_width: 40, cell_height: 40, ..Sheet::default() };
            [
                quiet(&take, Format::Apng, &small()).unwrap(),
                quiet(&take, Format::Gif, &small()).unwrap(),
                sheet(&take, &options, &mut |_, _| {}).unwrap(),
            ]
        })
    };
    let one = on(1);
    assert!(on(2) == one);
    assert!(on(4) == one);
}

#[test]
fn sheets_have_a_place_for_every_moment() {
    let take = two_people();
    let options = Sheet {
        columns: 3,
        rows: 2,
        cell_width: 50,
        cell_height: 40,
        moments: Moments::At(vec![0.0, 0.25, 0.5, 0.75]),
        style: Style::default(),
        ..Sheet::default()
    };
    let mut steps = Vec::new();
    let bytes = sheet(&take, &options, &mut |done, total| steps.push((done, total))).unwrap();
    let (width, height, pixels) = decode_png(&bytes);
    assert_eq!((width, height), (3 * 56 + 6, 2 * 46 + 6));
    assert_eq!(steps, [(1, 4), (2, 4), (3, 4), (4, 4)]);
    let at = |x: u32, y: u32| pixels[((y * width + x) * 3) as usize..][..3].to_vec();
    let white = vec![255; 3];
    for (x, y) in [(0, 0), (5, 20), (58, 20), (30, 48), (width - 1, height - 1)] {
        assert_eq!(at(x, y), white, "margin at {x}, {y}");
    }
    for (x, y) in [(6, 6), (55, 45), (62, 6), (118, 6), (6, 52)] {
        assert_ne!(at(x, y), white, "picture at {x}, {y}");
    }
    assert_eq!(at(62, 52), white, "no fifth picture");
    let titled = Sheet { title: "Two people".to_owned(), ..options };
    let (_, higher, _) = decode_png(&sheet(&take, &titled, &mut |_, _| {}).unwrap());
    assert!(higher > height);
}

#[test]
fn sheets_show_what_happens_around_events() {
    let mut take = two_people();
    take.events = [0.3, 0.6].map(|t| Event::new(t, EventKind::Hit)).to_vec();
    take.events.push(Event::new(0.7, EventKind::Footstep));
    let around = |kinds: &[EventKind]| Moments::Around { kinds: kinds.to_vec(), before: 0.1, after: 0.2 };
    let options = Sheet {
        columns: 4,
        rows: 5,
        cell_width: 30,
        cell_height: 30,
        moments: around(&[EventKind::Hit]),
        ..Sheet::default()
    };
    let (_, height, _) = decode_png(&sheet(&take, &options, &mut |_, _| {}).unwrap());
    assert_eq!(height, 2 * 36 + 6, "one row for each blow");
    let none = Sheet { moments: around(&[EventKind::Phase]), ..options };
    assert!(matches!(sheet(&take, &none, &mut |_, _| {}), Err(PictureError::NoEvents)));
}

#[test]
fn bad_options_are_refused() {
    let take = two_people();
    let huge = FrameRate::new(1_000_000, 1).unwrap();
    for options in [
        Animation { width: 0, ..small() },
        Animation { width: 1_000_000, height: 1_000_000, ..small() },
        Animation { from: f64::NAN, ..small() },
        Animation { from: -1.0, ..small() },
        Animation { from: 2.0, to: Some(1.0), ..small() },
        Animation { to: Some(f64::INFINITY), ..small() },
        Animation { rate: huge, ..small() },
    ] {
        assert!(quiet(&take, Format::Apng, &options).is_err(), "{options:?}");
    }
    let fast = Animation { rate: FrameRate::HOUSE, ..small() };
    let error = quiet(&take, Format::Gif, &fast).unwrap_err().to_string();
    assert!(error.starts_with("the frame rate of a GIF is 60"), "{error}");
    for options in [
        Sheet { columns: 0, ..Sheet::default() },
        Sheet { rows: 1000, ..Sheet::default() },
        Sheet { cell_width: u32::MAX, ..Sheet::default() },
        Sheet { cell_height: 0, ..Sheet::default() },
        Sheet { moments: Moments::Between(0.0, f64::NAN), ..Sheet::default() },
        Sheet { moments: Moments::Between(1e300, 1e301), ..Sheet::default() },
        Sheet { moments: Moments::Between(1.0, 0.5), ..Sheet::default() },
        Sheet { moments: Moments::Between(-1.0, 0.5), ..Sheet::default() },
        Sheet { moments: Moments::At(vec![1e300]), ..Sheet::default() },
        Sheet {
            moments: Moments::Around { kinds: vec![EventKind::Hit], before: 0.1, after: -0.2 },
            ..Sheet::default()
        },
        Sheet { moments: Moments::At(vec![]), ..Sheet::default() },
    ] {
        assert!(sheet(&take, &options, &mut |_, _| {}).is_err(), "{options:?}");
    }
    assert!(still(&take, f64::NAN, &Still::default()).is_err());
    assert!(still(&take, 0.0, &Still { height: 0, ..Still::default() }).is_err());
}

#[cfg(feature = "mp4")]
mod mp4 {
    use super::*;

    /// Length, name and contents of the boxes of an MP4 file, one level deep.
    fn boxes(mut bytes: &[u8]) -> Vec<(String, &[u8])> {
        let mut found = Vec::new();
        while !bytes.is_empty() {
            let length = u32::from_be_bytes(bytes[..4].try_into().unwrap()) as usize;
            found.push((String::from_utf8(bytes[4..8].to_vec()).unwrap(), &bytes[8..length]));
            bytes = &bytes[length..];
        }
        found
    }

    fn inside<'a>(bytes: &'a [u8], path: &[&str]) -> &'a [u8] {
        path.iter().fold(bytes, |bytes, name| {
            boxes(bytes).into_iter().find(|(found, _)| found == name).map(|(_, contents)| contents).unwrap()
        })
    }

    fn word(bytes: &[u8], at: usize) -> u32 {
        u32::from_be_bytes(bytes[4 * at..4 * at + 4].try_into().unwrap())
    }

    #[test]
    fn mp4s_hold_every_frame_and_play() {
        use openh264::decoder::Decoder;
        use openh264::formats::YUVSource;

        let take = two_people();
        let rate = FrameRate::new(30_000, 1001).unwrap();
        let options = Animation { rate, ..small() };
        let expected = drawn(&take, &options);
        let bytes = quiet(&take, Format::Mp4, &options).unwrap();
        let names: Vec<String> = boxes(&bytes).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["ftyp", "moov", "mdat"]);
        let media = inside(&bytes, &["moov", "trak", "mdia"]);
        let header = inside(media, &["mdhd"]);
        assert_eq!((word(header, 3), word(header, 4)), (30_000, 1001 * expected.len() as u32));
        let table = inside(media, &["minf", "stbl"]);
        let sizes = inside(table, &["stsz"]);
        assert_eq!(word(sizes, 2) as usize, expected.len());

        // The frames, taken from where the tables say they are, go through an independent decoder.
        let description = inside(table, &["stsd"]);
        let configuration = &description[8 + 8 + 78 + 8..];
        let mut stream = Vec::new();
        let n_sequence = usize::from(configuration[7]);
        stream.extend([0, 0, 0, 1]);
        stream.extend(&configuration[8..8 + n_sequence]);
        let picture = &configuration[8 + n_sequence..];
        stream.extend([0, 0, 0, 1]);
        stream.extend(&picture[3..3 + usize::from(picture[2])]);
        let mut decoder = Decoder::new().unwrap();
        decoder.decode(&stream).unwrap();
        let mut place = word(inside(table, &["stco"]), 2) as usize;
        for (frame, rgb) in expected.iter().enumerate() {
            let size = word(sizes, 3 + frame) as usize;
            let mut units = &bytes[place..place + size];
            place += size;
            let mut stream = Vec::new();
            while !units.is_empty() {
                let length = word(units, 0) as usize;
                stream.extend([0, 0, 0, 1]);
                stream.extend(&units[4..4 + length]);
                units = &units[4 + length..];
            }
            let decoded = decoder.decode(&stream).unwrap().expect("a frame for a frame");
            assert_eq!(decoded.dimensions(), (96, 64));
            let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / (96.0 * 64.0);
            let stride = decoded.strides().0;
            let luma = (0..64).flat_map(|y| decoded.y()[y * stride..y * stride + 96].iter());
            let seen = mean(&mut luma.map(|luma| f64::from(*luma)));
            let bright = rgb.chunks(3).map(|pixel| {
                let [r, g, b] = [0, 1, 2].map(|k| f64::from(pixel[k]));
                16.0 + (0.2126 * r + 0.7152 * g + 0.0722 * b) * 219.0 / 255.0
            });
            let drawn = mean(&mut bright.into_iter());
            assert!((seen - drawn).abs() < 1.5, "frame {frame}: {seen} for {drawn}");
        }
        assert_eq!(quiet(&take, Format::Mp4, &options).unwrap(), bytes, "the same bytes again");
    }

    #[test]
    fn odd_sizes_are_refused() {
        let error = quiet(&two_people(), Format::Mp4, &Animation { width: 97, ..small() }).unwrap_err();
        assert!(error.to_string().contains("even"), "{error}");
    }
}
