//! Charts as pictures of dots, for slides and documents that take no SVG.

use crate::scene::{Colour, PictureError, Scene};
use miniz_oxide::deflate::compress_to_vec_zlib;
use tiny_skia::{FillRule, Mask, Paint, PathBuilder, Pixmap, Rect, Stroke, StrokeDash, Transform};

/// Dots for each pixel of the chart: sharp in print at its width of a column.
const SCALE: f32 = 3.0;

/// How hard the dots are compressed, of 10.
const LEVEL: u8 = 6;

/// `svg`, one of our charts, as PNG.
///
/// # Errors
/// [`PictureError`].
pub fn png(svg: &str) -> Result<Vec<u8>, PictureError> {
    let scene = Scene::read(svg)?;
    let [width, height] = [scene.width, scene.height].map(|pixels| (SCALE * pixels.ceil()) as u32);
    let mut dots = Pixmap::new(width, height).ok_or(PictureError::Size)?;
    let scale = Transform::from_scale(SCALE, SCALE);
    // Shapes with the same clip follow one another.
    let mut clip: Option<(Rect, Mask)> = None;
    for shape in &scene.shapes {
        if shape.clip != clip.as_ref().map(|clip| clip.0) {
            clip = match shape.clip {
                Some(area) => Some((area, inside(area, &dots).ok_or(PictureError::Size)?)),
                None => None,
            };
        }
        let mask = clip.as_ref().map(|clip| &clip.1);
        if let Some(colour) = shape.fill {
            dots.fill_path(&shape.path, &paint(colour), FillRule::Winding, scale, mask);
        }
        if let Some(line) = &shape.stroke {
            let stroke = Stroke {
                width: line.width,
                line_join: line.join,
                dash: StrokeDash::new(line.dashes.clone(), 0.0),
                ..Stroke::default()
            };
            dots.stroke_path(&shape.path, &paint(line.colour), &stroke, scale, mask);
        }
    }
    Ok(encoded(&dots))
}

/// `dots` as a file: what is transparent is on white paper, and no row says how it differs from the one above, which
/// for areas of one colour is as short.
fn encoded(dots: &Pixmap) -> Vec<u8> {
    let row_dots = dots.width() as usize;
    let mut rows = Vec::with_capacity((3 * row_dots + 1) * dots.height() as usize);
    for row in dots.pixels().chunks(row_dots) {
        rows.push(0);
        for dot in row {
            let paper = 255 - dot.alpha();
            rows.extend([dot.red(), dot.green(), dot.blue()].map(|part| part + paper));
        }
    }
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let size = [dots.width().to_be_bytes(), dots.height().to_be_bytes()].concat();
    // Eight bits of each of red, green and blue.
    push_chunk(&mut file, b"IHDR", &[&size[..], &[8, 2, 0, 0, 0]].concat());
    push_chunk(&mut file, b"IDAT", &compress_to_vec_zlib(&rows, LEVEL));
    push_chunk(&mut file, b"IEND", &[]);
    file
}

/// Appends a chunk: the length of `data`, `kind`, `data`, and a checksum of both.
fn push_chunk(file: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    file.extend((data.len() as u32).to_be_bytes());
    let start = file.len();
    file.extend(kind);
    file.extend(data);
    file.extend(checksum(&file[start..]).to_be_bytes());
}

/// The cyclic redundancy code of a chunk (W3C, Portable Network Graphics, annex D).
fn checksum(bytes: &[u8]) -> u32 {
    let shifted = |sum: u32| (0..8).fold(sum, |sum, _| (sum >> 1) ^ (0xedb8_8320 * (sum & 1)));
    !(bytes.iter()).fold(!0, |sum, &byte| shifted(sum ^ u32::from(byte)))
}

/// The part of `dots` that is inside `area`.
fn inside(area: Rect, dots: &Pixmap) -> Option<Mask> {
    let mut mask = Mask::new(dots.width(), dots.height())?;
    let path = PathBuilder::from_rect(area);
    mask.fill_path(
        &path,
        FillRule::Winding,
        true,
        Transform::from_scale(SCALE, SCALE),
    );
    Some(mask)
}

fn paint(colour: Colour) -> Paint<'static> {
    let [red, green, blue] = colour.rgb;
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, (colour.opacity * 255.0).round() as u8);
    paint
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_drawn() {
        let chart = |text: &str| {
            format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"60\" height=\"20\">\
                 <rect width=\"60\" height=\"20\" fill=\"#ffffff\"/>\
                 <text x=\"4\" y=\"15\" font-family=\"Helvetica, sans-serif\">{text}</text></svg>"
            )
        };
        let shown = |file: &[u8]| {
            let rows = rows(file, [180, 60]);
            let reds = rows.iter().flat_map(|row| row.iter().step_by(3));
            reds.filter(|red| **red < 128).count()
        };
        assert!(shown(&png(&chart("load")).unwrap()) > 300);
        assert_eq!(shown(&png(&chart("")).unwrap()), 0);
        assert!(png("<svg").is_err());
    }

    #[test]
    fn a_file_has_the_colours_of_the_chart() {
        let chart =
            "<svg width=\"2\" height=\"1\"><rect width=\"1\" height=\"1\" fill=\"#0180ff\"/></svg>";
        let rows = rows(&png(chart).unwrap(), [6, 3]);
        let row = [[1, 128, 255], [255; 3]].map(|dot| dot.repeat(3)).concat();
        assert_eq!(rows, [&row[..]; 3]);
    }

    #[test]
    fn what_is_outside_a_clip_is_not_painted() {
        let chart = "<svg width=\"2\" height=\"1\"><clipPath id=\"c\"><rect width=\"1\" height=\"1\"/></clipPath>\
             <g clip-path=\"url(#c)\"><rect width=\"2\" height=\"1\"/></g></svg>";
        let row = [[0; 9], [255; 9]].concat();
        assert_eq!(rows(&png(chart).unwrap(), [6, 3]), [&row[..]; 3]);
    }

    #[test]
    fn checksums_are_those_of_the_standard() {
        assert_eq!(checksum(b"123456789"), 0xcbf4_3926);
        assert_eq!(checksum(b"IEND"), 0xae42_6082);
    }

    /// The rows of a `file` of these dots, each red, green and blue in turn.
    fn rows(file: &[u8], [width, height]: [usize; 2]) -> Vec<Vec<u8>> {
        let mut rest = file.strip_prefix(b"\x89PNG\r\n\x1a\n").unwrap();
        let mut chunks = Vec::new();
        while let Some((length, after)) = rest.split_first_chunk() {
            let (chunk, after) = after.split_at(4 + u32::from_be_bytes(*length) as usize);
            let (sum, after) = after.split_first_chunk().unwrap();
            assert_eq!(checksum(chunk), u32::from_be_bytes(*sum));
            chunks.push(chunk.split_at(4));
            rest = after;
        }
        let [(b"IHDR", header), (b"IDAT", data), (b"IEND", [])] = chunks[..] else {
            panic!("{} chunks", chunks.len());
        };
        assert_eq!((header[3], header[7]), (width as u8, height as u8));
        assert_eq!(header[8..], [8, 2, 0, 0, 0]);
        let bytes = miniz_oxide::inflate::decompress_to_vec_zlib(data).unwrap();
        let rows = bytes.chunks(3 * width + 1).map(|row| {
            assert_eq!(row[0], 0);
            row[1..].to_vec()
        });
        let rows: Vec<Vec<u8>> = rows.collect();
        assert_eq!(rows.len(), height);
        rows
    }
}
