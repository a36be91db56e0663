//! Charts as pictures of dots, for slides and documents that take no SVG.
//!
//! The fonts are our own, so that a chart looks the same on every machine.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};
use std::sync::Arc;

/// DejaVu Sans, regular and bold (`crates/report/assets/LICENSE-DejaVu.txt`).
const FONTS: [&[u8]; 2] = [
    include_bytes!("../assets/DejaVuSans.ttf"),
    include_bytes!("../assets/DejaVuSans-Bold.ttf"),
];

/// Dots for each pixel of the chart: sharp in print at its width of a column.
const SCALE: f32 = 3.0;

/// A chart that cannot be turned into dots.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PngError {
    /// The SVG does not read.
    #[error("the chart cannot be read back: {0}")]
    Svg(#[from] resvg::usvg::Error),
    /// It has no area, or too much.
    #[error("the chart has no drawable size")]
    Size,
    /// The dots cannot be written.
    #[error("the picture cannot be encoded: {0}")]
    Encode(String),
}

/// `svg`, one of our charts, as PNG.
///
/// # Errors
/// [`PngError`].
pub fn png(svg: &str) -> Result<Vec<u8>, PngError> {
    let mut fonts = fontdb::Database::new();
    for font in FONTS {
        fonts.load_font_data(font.to_vec());
    }
    fonts.set_sans_serif_family("DejaVu Sans");
    let options = Options {
        font_family: "DejaVu Sans".to_owned(),
        fontdb: Arc::new(fonts),
        ..Options::default()
    };
    let tree = Tree::from_str(svg, &options)?;
    let size = tree.size().to_int_size();
    let scaled = size.scale_by(SCALE).ok_or(PngError::Size)?;
    let mut dots = Pixmap::new(scaled.width(), scaled.height()).ok_or(PngError::Size)?;
    resvg::render(
        &tree,
        Transform::from_scale(SCALE, SCALE),
        &mut dots.as_mut(),
    );
    dots.encode_png()
        .map_err(|error| PngError::Encode(error.to_string()))
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
