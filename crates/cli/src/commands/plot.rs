//! `flitsim plot`: curves of one or several CSV files.

use crate::console::Console;
use crate::error::CommandError;
use clap::Args;
use flitsim_measure::point::Status;
use flitsim_report::frame::Size;
use flitsim_report::plot::{self, Axis, Drawing, PlotPoint, is_load};
use flitsim_report::png::png;
use flitsim_scenario::error::nearest;
use flitsim_sweep::results::file::write_whole;
use flitsim_sweep::results::folder::POINTS;
use std::path::Path;
use std::path::PathBuf;

/// Draw curves of one or several CSV files
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  flitsim plot out/first-curve/points.csv -o curves.svg
  flitsim plot before/points.csv after/points.csv -o compared.png --title \"Before and after\"
  flitsim plot out/mine/points.csv -o accepted.svg --x offered_flits --y accepted_flits
  flitsim plot out/mine/points.csv -o p99.svg --y latency_p99 --log-y

Each value of the column `series` is a curve; of several files, each with the name of its file.
Curves differ in colour, marker and dashes. A point without a value breaks its curve.")]
pub struct Plot {
    /// The files: points.csv of sweeps, or any CSV with a header
    #[arg(required = true, value_name = "CSV")]
    pub files: Vec<PathBuf>,
    /// The picture: .svg or .png
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// The column along the horizontal axis
    #[arg(long, value_name = "COLUMN", default_value = "load")]
    pub x: String,
    /// The column along the vertical axis
    #[arg(long, value_name = "COLUMN", default_value = "latency_mean")]
    pub y: String,
    /// The column of the half-widths of intervals; the default is that of --y, where there is one
    #[arg(long, value_name = "COLUMN")]
    pub interval: Option<String>,
    /// Columns whose values tell curves apart, with commas between
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub series: Vec<String>,
    /// A logarithmic horizontal axis
    #[arg(long)]
    pub log_x: bool,
    /// A logarithmic vertical axis
    #[arg(long)]
    pub log_y: bool,
    /// Above the plot; the default is the first file's name
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Below the horizontal axis
    #[arg(long, value_name = "TEXT")]
    pub x_label: Option<String>,
    /// Beside the vertical axis
    #[arg(long, value_name = "TEXT")]
    pub y_label: Option<String>,
}

/// The column that tells how a point ended.
const STATUS: &str = "status";
/// The column that names the curves where nothing else is said.
const SERIES: &str = "series";

/// How the columns of half-widths of 95 % confidence intervals end.
const CONFIDENCE: &str = "ci95";

/// Reads the files and draws.
///
/// # Errors
/// A file that cannot be read or has no such column; a picture that cannot be written.
pub fn run(arguments: &Plot, console: &Console) -> Result<(), CommandError> {
    let extension = arguments.output.extension().and_then(|e| e.to_str());
    let Some(extension @ ("svg" | "png")) = extension else {
        return Err(CommandError::Input(format!(
            "{} does not say what to draw: name it .svg or .png",
            arguments.output.display()
        )));
    };
    let files = arguments.files.iter().map(|path| CsvFile::read(path));
    let files = files.collect::<Result<Vec<_>, _>>()?;
    let unit = load_unit(&files);
    let axis = |label: &Option<String>, column: &str, logarithmic| Axis {
        label: label
            .clone()
            .unwrap_or_else(|| label_of(column, unit.as_deref())),
        from: None,
        to: None,
        logarithmic,
    };
    let title = arguments.title.clone();
    let mut plot = plot::Plot {
        title: title.unwrap_or_else(|| title_of(&files)),
        x: axis(&arguments.x_label, &arguments.x, arguments.log_x),
        y: axis(&arguments.y_label, &arguments.y, arguments.log_y),
        series: Vec::new(),
        over_load: is_load(&arguments.x),
        confidence: arguments
            .interval
            .as_ref()
            .is_none_or(|column| column.ends_with(CONFIDENCE)),
        note: String::new(),
    };
    for file in &files {
        add(&mut plot, file, arguments)?;
    }
    if plot
        .series
        .iter()
        .all(|series| series.points.iter().all(|point| point.y.is_none()))
    {
        console.warn(format_args!(
            "no row has both {} and {}",
            arguments.x, arguments.y
        ));
    }
    let svg = plot.draw(Size::WIDE, "plot");
    let picture = if extension == "png" {
        png(&svg).map_err(|error| CommandError::Failed(error.to_string()))?
    } else {
        svg.into_bytes()
    };
    write_whole(&arguments.output, &picture)
        .map_err(|error| CommandError::unwritable(&arguments.output, &error))
}

/// What a column of `points.csv` is, with its unit; other columns are called by their names.
fn label_of(column: &str, load_unit: Option<&str>) -> String {
    if column == "load" {
        return format!("offered load ({})", load_unit.unwrap_or("each in its unit"));
    }
    let label = match column {
        "offered_flits" => "offered load (flits/node/cycle)",
        "accepted_flits" => "accepted load (flits/node/cycle)",
        "latency_mean" => "mean packet latency (cycles)",
        "latency_p50" => "median packet latency (cycles)",
        "latency_p95" => "95th percentile of packet latency (cycles)",
        "latency_p99" => "99th percentile of packet latency (cycles)",
        "latency_max" => "largest packet latency (cycles)",
        "network_latency_mean" => "mean network latency (cycles)",
        "hops_mean" => "mean hops",
        other => other,
    };
    label.to_owned()
}

/// A CSV file with a header.
struct CsvFile {
    name: String,
    /// What its curves are called.
    short: String,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl CsvFile {
    fn read(path: &Path) -> Result<Self, CommandError> {
        let name = path.display().to_string();
        let wrong = |error: &dyn std::fmt::Display| {
            CommandError::Input(format!("cannot read {name}: {error}"))
        };
        let mut reader = csv::Reader::from_path(path).map_err(|error| wrong(&error))?;
        let texts = |record: &csv::StringRecord| record.iter().map(str::to_owned).collect();
        let header = reader.headers().map(texts).map_err(|error| wrong(&error))?;
        let rows = reader
            .records()
            .map(|record| record.as_ref().map(texts).map_err(|error| wrong(error)))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            short: short_name(path),
            name,
            header,
            rows,
        })
    }

    fn index_of(&self, column: &str) -> Option<usize> {
        self.header.iter().position(|name| name == column)
    }

    /// Where `column` stands.
    fn column(&self, column: &str) -> Result<usize, CommandError> {
        self.index_of(column).ok_or_else(|| {
            let nearest = nearest(column, self.header.iter().map(String::as_str));
            let nearest = nearest.map_or_else(String::new, |n| format!("; did you mean `{n}`?"));
            CommandError::Input(format!(
                "{} has no column `{column}`{nearest} (its columns are {})",
                self.name,
                self.header.join(", ")
            ))
        })
    }
}

/// Adds the curves of `file`.
fn add(plot: &mut plot::Plot, file: &CsvFile, arguments: &Plot) -> Result<(), CommandError> {
    let (x, y) = (file.column(&arguments.x)?, file.column(&arguments.y)?);
    let interval = match &arguments.interval {
        Some(column) => Some(file.column(column)?),
        None => file.index_of(&interval_of(&arguments.y)),
    };
    let by: Vec<usize> = if arguments.series.is_empty() {
        file.index_of(SERIES).into_iter().collect()
    } else {
        let columns = arguments.series.iter();
        columns
            .map(|column| file.column(column))
            .collect::<Result<_, _>>()?
    };
    let status = file.index_of(STATUS);
    let several = arguments.files.len() > 1;
    for row in &file.rows {
        let number = |index: usize| row[index].parse::<f64>().ok().filter(|n| n.is_finite());
        let Some(at) = number(x) else { continue };
        let mut names: Vec<&str> = by.iter().map(|&index| row[index].as_str()).collect();
        if several || names.is_empty() {
            names.insert(0, &file.short);
        }
        let name = names.join(", ");
        let look = plot.series.len();
        let points = plot.points_of(name, || (Drawing::Both, look));
        points.push(PlotPoint {
            x: at,
            y: number(y),
            half_width: interval.and_then(number).unwrap_or(0.0),
            status: status.and_then(|index| Status::of_word(&row[index])),
        });
    }
    Ok(())
}

/// The names of the files, each once.
fn title_of(files: &[CsvFile]) -> String {
    let mut names: Vec<&str> = files.iter().map(|file| file.short.as_str()).collect();
    names.dedup();
    names.join(", ")
}

/// The stem of a file, or the folder of one that every sweep calls so.
fn short_name(path: &Path) -> String {
    let text = |name: Option<&std::ffi::OsStr>| name.map(|n| n.to_string_lossy().into_owned());
    let is_points = path.file_name().is_some_and(|name| name == POINTS);
    let folder = path.parent().filter(|_| is_points);
    text(folder.and_then(Path::file_name))
        .or_else(|| text(path.file_stem()))
        .unwrap_or_default()
}

/// The unit of every load of the files; `None` where they differ or there is no such column.
fn load_unit(files: &[CsvFile]) -> Option<String> {
    let mut found: Option<&str> = None;
    for file in files {
        let column = file.index_of("load_unit")?;
        for row in &file.rows {
            let unit = row[column].as_str();
            if *found.get_or_insert(unit) != unit {
                return None;
            }
        }
    }
    found.map(str::to_owned)
}

/// The column of the half-widths of `column`, as files of sweeps name it.
fn interval_of(column: &str) -> String {
    let stem = column.strip_suffix("_mean").unwrap_or(column);
    let stem = stem.strip_suffix("_flits").unwrap_or(stem);
    format!("{stem}_{CONFIDENCE}")
}
