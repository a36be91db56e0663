//! Charts as pictures of dots, for slides and documents that take no SVG.

use crate::scene::{Colour, PictureError, Scene};
use tiny_skia::{FillRule, Mask, Paint, PathBuilder, Pixmap, Rect, Stroke, StrokeDash, Transform};

/// Dots for each pixel of the chart: sharp in print at its width of a column.
const SCALE: f32 = 3.0;

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
    dots.encode_png()
        .map_err(|error| PictureError::Encode(error.to_string()))
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
        let dots = png(&chart("load")).unwrap();
        assert_eq!(&dots[..4], b"\x89PNG");
        let dark = |dots: &[u8]| {
            let pixmap = Pixmap::decode_png(dots).unwrap();
            assert_eq!((pixmap.width(), pixmap.height()), (180, 60));
            pixmap.pixels().iter().filter(|dot| dot.red() < 128).count()
        };
        assert!(dark(&dots) > 300);
        assert_eq!(dark(&png(&chart("")).unwrap()), 0);
        assert!(png("<svg").is_err());
    }
}
