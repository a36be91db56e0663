//! `flitsim plot`: curves of one or several CSV files.

mod left_out;
mod rows;

use crate::args::Suggested;
use crate::console::Console;
use crate::error::CommandError;
use crate::series;
use clap::Args;
use flitsim_report::frame::Size;
use flitsim_report::pdf::pdf;
use flitsim_report::plot::{self, Axis, Drawing, PlotSeries, draw_panels, is_load};
use flitsim_report::png::png;
use flitsim_report::words;
use flitsim_sweep::results::COLUMNS;
use flitsim_sweep::results::file::write_whole;
use rows::{CONFIDENCE, CsvFile, Placed, SATURATION, tell_apart};
use std::collections::HashSet;
use std::path::PathBuf;

/// Draw curves from one or several CSV files
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  flitsim plot out/first-curve/points.csv -o curves.svg
  flitsim plot before/points.csv after/points.csv -o compared.png --title \"Before and after\"
  flitsim plot out/mine/points.csv -o accepted.svg --x offered_flits --y accepted_flits
  flitsim plot out/mine/points.csv -o p99.pdf --y latency_p99 --log-y --y-range 10:1000
  flitsim plot out/grid/points.csv -o vcs.svg --x router.virtual_channels --y saturation

Each value of the column `series` is a curve; with several files, the name of a curve begins with that
of its file. If a scenario key is on the horizontal axis or tells panels apart, the other keys in which
series differ tell curves apart. Curves differ in colour, marker and dashes. A point without a value
breaks its curve.

`--y saturation` draws a point for each curve and each value of --x. It is midway between the last load
that converged and the first that saturated, with a bar from one to the other. Nothing is drawn where the
loads of the sweep do not enclose saturation.")]
pub struct Plot {
    /// The files: points.csv of sweeps (or their folders), or any CSV with a header
    #[arg(required = true, value_name = "CSV")]
    pub files: Vec<PathBuf>,
    /// The picture: .svg, .pdf or .png
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// The column along the horizontal axis
    #[arg(long, value_name = "COLUMN", default_value = "load")]
    #[arg(value_parser = Suggested(columns), hide_possible_values = true)]
    pub x: String,
    /// The column along the vertical axis, or `saturation`
    #[arg(long, value_name = "COLUMN", default_value = "latency_mean")]
    #[arg(value_parser = Suggested(columns), hide_possible_values = true)]
    pub y: String,
    /// The column with the half-widths of the intervals; the default is that of --y, if there is one
    #[arg(long, value_name = "COLUMN")]
    pub interval: Option<String>,
    /// Columns whose values tell curves apart, separated by commas
    #[arg(
        long,
        visible_alias = "by",
        value_name = "COLUMNS",
        value_delimiter = ','
    )]
    pub series: Vec<String>,
    /// Draw a panel for each value of this column
    #[arg(long, value_name = "COLUMN")]
    pub facet: Option<String>,
    /// Draw only these curves: a name, a number or a part of names; several are drawn in the order given
    #[arg(long, value_name = "CURVE")]
    pub only: Vec<String>,
    /// Rename a curve in the key
    #[arg(long, value_name = "CURVE=TEXT")]
    pub name: Vec<String>,
    /// A logarithmic horizontal axis
    #[arg(long)]
    pub log_x: bool,
    /// A logarithmic vertical axis
    #[arg(long)]
    pub log_y: bool,
    /// Range of the horizontal axis; either end may be left out
    #[arg(long, value_name = "FROM:TO", value_parser = range, allow_hyphen_values = true)]
    pub x_range: Option<Ends>,
    /// Range of the vertical axis; either end may be left out
    #[arg(long, value_name = "FROM:TO", value_parser = range, allow_hyphen_values = true)]
    pub y_range: Option<Ends>,
    /// Title above the plot; the default is the names of the files
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Label below the horizontal axis
    #[arg(long, value_name = "TEXT")]
    pub x_label: Option<String>,
    /// Label beside the vertical axis
    #[arg(long, value_name = "TEXT")]
    pub y_label: Option<String>,
    /// Width of the picture in pixels; a pixel is three dots in a PNG, three quarters of a point in a PDF
    #[arg(long, value_name = "PIXELS", default_value_t = 720)]
    #[arg(value_parser = clap::value_parser!(u16).range(200..=4000))]
    pub width: u16,
    /// Height of the plot, or of each panel if there are several; the key comes below
    #[arg(long, value_name = "PIXELS", default_value_t = 360)]
    #[arg(value_parser = clap::value_parser!(u16).range(100..=4000))]
    pub height: u16,
    /// Leave out the key
    #[arg(long)]
    pub no_key: bool,
    /// Leave out the note on what the marks mean
    #[arg(long)]
    pub no_note: bool,
}

/// What a shell completes for an axis.
fn columns() -> Vec<&'static str> {
    COLUMNS.into_iter().chain([SATURATION]).collect()
}

/// The ends of an axis, where they are said.
type Ends = (Option<f64>, Option<f64>);

fn range(text: &str) -> Result<Ends, String> {
    let wrong = || "a range is FROM:TO, such as 0:0.5, or :0.5".to_owned();
    let (from, to) = text.split_once(':').ok_or_else(wrong)?;
    let end = |text: &str| match text.trim() {
        "" => Ok(None),
        text => match text.parse::<f64>() {
            Ok(end) if end.is_finite() => Ok(Some(end)),
            _ => Err(wrong()),
        },
    };
    match (end(from)?, end(to)?) {
        (Some(from), Some(to)) if from >= to => Err(format!("{from} is not below {to}")),
        ends => Ok(ends),
    }
}

/// Reads the files and draws.
///
/// # Errors
/// A file that cannot be read or has no such column; a picture that cannot be written.
pub fn run(arguments: &Plot, console: &Console) -> Result<(), CommandError> {
    let extension = arguments.output.extension().and_then(|e| e.to_str());
    let extension = extension.map(str::to_ascii_lowercase);
    let extension = extension.as_deref();
    let Some(extension @ ("svg" | "pdf" | "png")) = extension else {
        return Err(CommandError::Input(format!(
            "{} does not say what to draw: name it .svg, .pdf or .png",
            arguments.output.display()
        )));
    };
    let mut files = CsvFile::read_all(&arguments.files)?;
    tell_apart(&mut files)?;
    let mut points = Vec::new();
    for file in &files {
        points.extend(file.points(arguments, files.len() > 1)?);
    }
    if let Some(why) = left_out(arguments, &files, &points) {
        console.warn(format_args!("{why}"));
    }
    refuse_crowds(extension, &points)?;
    let panels = panels(arguments, &files, points)?;
    for reason in left_out::reasons(arguments, &files, &panels) {
        console.warn(reason);
    }
    let size = Size {
        width: arguments.width.into(),
        plot_height: arguments.height.into(),
    };
    let svg = match &panels[..] {
        [only] if arguments.facet.is_none() => only.draw(size, "plot"),
        panels => draw_panels(&title(arguments, &files), panels, size, "plot"),
    };
    let picture = match extension {
        "png" => png(&svg),
        "pdf" => pdf(&svg),
        _ => Ok(svg.into_bytes()),
    };
    let picture = picture.map_err(|error| CommandError::Failed(error.to_string()))?;
    write_whole(&arguments.output, &picture)
        .map_err(|error| CommandError::unwritable(&arguments.output, &error))
}

/// Why there is nothing to draw, or not of every curve.
fn left_out(arguments: &Plot, files: &[CsvFile], points: &[Placed]) -> Option<String> {
    let open = points.iter().filter(|placed| placed.point.y.is_none());
    let (open, all) = (open.count(), points.len());
    if all > 0 && arguments.y == SATURATION && files.iter().all(CsvFile::is_searched) {
        return if !files.iter().any(CsvFile::saturates) {
            let names: Vec<&str> = files.iter().map(CsvFile::name).collect();
            Some(format!(
                "no series of {} saturated: higher loads, or `load = \"auto\"`, would show where they do",
                names.join(" and ")
            ))
        } else if open > 0 {
            Some(format!(
                "{open} of {all} are not drawn: the loads do not enclose their saturation"
            ))
        } else {
            None
        };
    }
    let (x, y) = (&arguments.x, &arguments.y);
    (open == all).then(|| format!("no row has both {x} and {y}"))
}

/// Refuses more curves than a picture can have: those of a scenario, or as many dots as there is memory for.
fn refuse_crowds(extension: &str, points: &[Placed]) -> Result<(), CommandError> {
    let curves: HashSet<(&str, &str)> = points
        .iter()
        .map(|placed| (placed.curve.as_str(), placed.panel.as_str()))
        .collect();
    let (count, most) = (curves.len(), if extension == "png" { 1000 } else { 10_000 });
    match count > most {
        false => Ok(()),
        true => Err(CommandError::Input(format!(
            "{count} curves, and {most} are the most of a picture as .{extension}: `--only` chooses"
        ))),
    }
}

/// The panels, in the order in which their first points come; each has the same curves.
fn panels(
    arguments: &Plot,
    files: &[CsvFile],
    points: Vec<Placed>,
) -> Result<Vec<plot::Plot>, CommandError> {
    let mut curves: Vec<&str> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for placed in &points {
        if !curves.contains(&placed.curve.as_str()) {
            curves.push(&placed.curve);
        }
        if !names.contains(&placed.panel.as_str()) {
            names.push(&placed.panel);
        }
    }
    if names.is_empty() {
        names.push("");
    }
    let looks = looks(arguments, &curves)?;
    let blank = blank(arguments, files)?;
    let mut panels = Vec::with_capacity(names.len());
    for name in names {
        let mut panel = plot::Plot {
            title: match arguments.facet {
                Some(_) => name.to_owned(),
                None => title(arguments, files),
            },
            ..blank.clone()
        };
        for (look, (curve, label)) in looks.iter().enumerate() {
            let mine = points.iter();
            let mine = mine.filter(|placed| placed.panel == name && placed.curve == *curve);
            panel.series.push(PlotSeries {
                name: label.clone(),
                drawing: Drawing::Both,
                look,
                points: mine.map(|placed| placed.point).collect(),
            });
        }
        panels.push(panel);
    }
    Ok(panels)
}

/// The curves that are drawn, in order, with their names in the key.
fn looks<'c>(arguments: &Plot, curves: &[&'c str]) -> Result<Vec<(&'c str, String)>, CommandError> {
    let told = |why: String| {
        let of_curves = why.replace("several series", "several curves");
        CommandError::Input(of_curves.replace("no series", "no curve"))
    };
    let mut labels: Vec<String> = curves.iter().map(|&name| name.to_owned()).collect();
    for pair in &arguments.name {
        let Some((curve, label)) = pair.rsplit_once('=') else {
            return Err(CommandError::Input(format!(
                "--name {pair} names no curve: write CURVE=TEXT, such as `--name 1=mesh`"
            )));
        };
        labels[series::find(curves, curve).map_err(told)?] = label.to_owned();
    }
    let mut drawn: Vec<usize> = Vec::new();
    for only in &arguments.only {
        let found = series::find_all(curves, only).map_err(told)?;
        drawn.extend(
            found
                .into_iter()
                .filter(|at| !drawn.contains(at))
                .collect::<Vec<_>>(),
        );
    }
    if arguments.only.is_empty() {
        drawn.extend(0..curves.len());
    }
    let drawn = drawn.into_iter();
    Ok(drawn.map(|at| (curves[at], labels[at].clone())).collect())
}

/// A plot without curves.
fn blank(arguments: &Plot, files: &[CsvFile]) -> Result<plot::Plot, CommandError> {
    let unit = load_unit(files);
    let axis = |label: &Option<String>, column: &str, logarithmic, ends: Option<Ends>| {
        let (from, to) = ends.unwrap_or_default();
        if logarithmic && [from, to].into_iter().flatten().any(|end| end <= 0.0) {
            return Err(CommandError::Input(
                "the ends of a logarithmic axis are above 0".to_owned(),
            ));
        }
        let label = label.clone();
        Ok(Axis {
            label: label.unwrap_or_else(|| label_of(column, unit.as_deref())),
            from,
            to,
            logarithmic,
        })
    };
    let x = axis(
        &arguments.x_label,
        &arguments.x,
        arguments.log_x,
        arguments.x_range,
    )?;
    let y = axis(
        &arguments.y_label,
        &arguments.y,
        arguments.log_y,
        arguments.y_range,
    )?;
    let is_saturation = arguments.y == SATURATION;
    let interval = arguments.interval.as_ref();
    Ok(plot::Plot {
        title: String::new(),
        x,
        y,
        series: Vec::new(),
        over_load: is_load(&arguments.x),
        confidence: !is_saturation && interval.is_none_or(|column| column.ends_with(CONFIDENCE)),
        note: match is_saturation {
            true => {
                "Bands and bars: from the last load that converged to the first that saturated."
                    .to_owned()
            }
            false => String::new(),
        },
        without_key: arguments.no_key,
        without_note: arguments.no_note,
    })
}

/// What stands at an axis that shows `column`.
fn label_of(column: &str, load_unit: Option<&str>) -> String {
    match column {
        SATURATION => format!(
            "saturation load ({})",
            load_unit.unwrap_or("each in its unit")
        ),
        column => words::column(column, load_unit),
    }
}

/// What stands above: the title asked for, or the names of the files, each once.
fn title(arguments: &Plot, files: &[CsvFile]) -> String {
    let mut names: Vec<&str> = files.iter().map(|file| file.short.as_str()).collect();
    names.dedup();
    arguments.title.clone().unwrap_or_else(|| names.join(", "))
}

/// The unit of every load of the files; `None` where they differ or there is no such column.
fn load_unit(files: &[CsvFile]) -> Option<String> {
    let mut unit = None;
    let is_same = files.iter().all(|file| file.has_load_unit(&mut unit));
    unit.filter(|_| is_same).map(str::to_owned)
}
