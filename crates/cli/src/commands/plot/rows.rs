//! The rows of CSV files, and the curves that they are of.

use super::Plot;
use crate::error::CommandError;
use flitsim_measure::point::Status;
use flitsim_report::plot::PlotPoint;
use flitsim_report::words::interval_of;
use flitsim_scenario::error::nearest;
use flitsim_sweep::results::folder::POINTS;
use flitsim_topology::file::{FileError, Problem, Source, read_bounded};
use std::path::{Path, PathBuf};

/// The column that tells how a point ended.
const STATUS: &str = "status";
/// The column that names the curves where nothing else is said.
const SERIES: &str = "series";
/// In place of a column: the load at which the points of a curve saturate.
pub const SATURATION: &str = "saturation";
const HALF_WIDTHS: &str =
    "--interval names the column of the half-widths of intervals, such as `latency_ci95`";
/// How the columns of half-widths of 95 % confidence intervals end.
pub const CONFIDENCE: &str = "ci95";

/// A point, and where it belongs.
pub struct Placed {
    /// The value that tells its panel, where there are several.
    pub panel: String,
    /// The name of its curve.
    pub curve: String,
    pub point: PlotPoint,
}

/// The longest file that is plotted.
const BYTES_MOST: u64 = 1 << 30;

/// What some programs put before a text.
const BOM: char = '\u{feff}';

/// A CSV file with a header.
pub struct CsvFile {
    path: PathBuf,
    name: String,
    /// What its curves are called.
    pub short: String,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl CsvFile {
    /// Those of `paths`.
    ///
    /// # Errors
    /// All of them that cannot be read.
    pub fn read_all(paths: &[PathBuf]) -> Result<Vec<Self>, CommandError> {
        let (mut files, mut faults) = (Vec::new(), Vec::new());
        for path in paths {
            match Self::read(path) {
                Ok(file) => files.push(file),
                Err(fault) => faults.push(fault),
            }
        }
        match faults.is_empty() {
            true => Ok(files),
            false => Err(CommandError::Input(faults.join("\n"))),
        }
    }

    /// That of `path`, or of a sweep's points in the folder `path`.
    fn read(path: &Path) -> Result<Self, String> {
        let of_folder = path.is_dir().then(|| path.join(POINTS));
        let path = of_folder.as_deref().unwrap_or(path);
        let name = path.display().to_string();
        let bytes = read_bounded(path, BYTES_MOST)
            .map_err(|error| format!("cannot read {name}: {error}"))?;
        let (header, rows) = table(&name, &bytes).map_err(|error| error.to_string())?;
        Ok(Self {
            short: short_name(path),
            path: path.to_owned(),
            name,
            header,
            rows,
        })
    }

    /// What it was given as; of a folder, the file in it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether [`SATURATION`] is found from its loads, and no column of its own.
    pub fn is_searched(&self) -> bool {
        self.index_of(SATURATION).is_none()
    }

    /// Whether any of its points has saturated.
    pub fn saturates(&self) -> bool {
        let words = self.index_of(STATUS).into_iter();
        let mut words = words.flat_map(|at| self.rows.iter().map(move |row| &row[at]));
        words.any(|word| Status::of_word(word).is_some_and(is_unstable))
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

    /// Where `column` stands, which an axis shows.
    fn axis(&self, column: &str) -> Result<usize, CommandError> {
        let instead = format!(
            "an axis shows numbers: `--series {column}` draws a curve for each, `--facet {column}` a panel"
        );
        self.numbers(column, &instead)
    }

    /// Where `column` stands; where it holds no numbers, `why` it must.
    fn numbers(&self, column: &str, why: &str) -> Result<usize, CommandError> {
        let at = self.column(column)?;
        let mut fields = self.rows.iter().map(|row| &row[at]);
        let word = fields.clone().find(|field| !field.is_empty());
        match word.filter(|_| fields.all(|field| number(field).is_none())) {
            Some(word) => Err(CommandError::Input(format!(
                "`{column}` of {} holds words, such as \"{word}\", and {why}",
                self.name
            ))),
            None => Ok(at),
        }
    }

    /// How many rows are left out because `column`, where there is one, holds something that is no number.
    pub fn words(&self, column: &str) -> Option<String> {
        let at = self.index_of(column)?;
        let fields = self.rows.iter().map(|row| row[at].as_str());
        let mut words = fields.filter(|field| !field.is_empty() && number(field).is_none());
        let first = words.next()?;
        Some(format!(
            "{} of {} rows of {} are left out: `{column}` is no number there, such as \"{first}\"",
            1 + words.count(),
            self.rows.len(),
            self.name
        ))
    }

    /// The columns whose values tell curves apart: those asked for. Where none are, the keys in which the
    /// series differ, if one of them is used otherwise; or else the name of the series.
    fn by(&self, plot: &Plot) -> Result<Vec<usize>, CommandError> {
        if !plot.series.is_empty() {
            return plot.series.iter().map(|name| self.column(name)).collect();
        }
        let used = |name: &str| name == plot.x || plot.facet.as_deref() == Some(name);
        let keys = || (0..self.header.len()).filter(|&at| is_key(&self.header[at]));
        if keys().any(|at| used(&self.header[at])) {
            return Ok(keys().filter(|&at| !used(&self.header[at])).collect());
        }
        Ok(self.index_of(SERIES).into_iter().collect())
    }

    /// The points that `plot` draws of the file, one of `several`.
    pub fn points(&self, plot: &Plot, several: bool) -> Result<Vec<Placed>, CommandError> {
        let by = self.by(plot)?;
        let facet = plot.facet.as_ref().map(|facet| self.column(facet));
        let facet = facet.transpose()?;
        let place = |row: &[String], point: PlotPoint| {
            let mut names: Vec<String> = by.iter().map(|&at| self.value(row, at)).collect();
            if several || names.is_empty() {
                names.insert(0, self.short.clone());
            }
            Placed {
                panel: facet.map(|at| self.value(row, at)).unwrap_or_default(),
                curve: names.join(", "),
                point,
            }
        };
        if plot.y == SATURATION && self.is_searched() {
            return self.saturations(plot, &place);
        }
        let (x, y) = (self.axis(&plot.x)?, self.axis(&plot.y)?);
        let interval = match &plot.interval {
            Some(column) => Some(self.numbers(column, HALF_WIDTHS)?),
            None => self.index_of(&interval_of(&plot.y)),
        };
        let status = self.index_of(STATUS);
        let points = self.rows.iter().filter_map(|row| {
            let number = |at: usize| number(&row[at]);
            let point = PlotPoint {
                x: number(x)?,
                y: number(y),
                half_width: interval.and_then(number).unwrap_or(0.0),
                status: status.and_then(|at| Status::of_word(&row[at])),
            };
            Some(place(row, point))
        });
        Ok(points.collect())
    }

    /// A value with the name of its key, where the column is a key.
    fn value(&self, row: &[String], at: usize) -> String {
        let (name, value) = (&self.header[at], &row[at]);
        match name.rsplit_once('.') {
            Some((_, key)) if is_key(name) => format!("{key}={value}"),
            _ => value.clone(),
        }
    }

    /// A point for all loads of a curve at one `x`: half way from the last that converged to the first that
    /// is saturated. None where one of the two is missing.
    fn saturations(
        &self,
        plot: &Plot,
        place: &dyn Fn(&[String], PlotPoint) -> Placed,
    ) -> Result<Vec<Placed>, CommandError> {
        let (x, load) = (self.axis(&plot.x)?, self.column("load")?);
        let status = self.column(STATUS)?;
        if plot.interval.is_some() {
            return Err(CommandError::Input(
                "--y saturation has intervals of its own: leave `--interval` out".to_owned(),
            ));
        }
        if x == load {
            return Err(CommandError::Input(
                "--y saturation is a load: name another column with --x, such as \
                 `--x router.virtual_channels`"
                    .to_owned(),
            ));
        }
        let mut found: Vec<(Placed, Vec<(f64, Status)>)> = Vec::new();
        for row in &self.rows {
            let (Some(x), Some(load)) = (number(&row[x]), number(&row[load])) else {
                continue;
            };
            let Some(status) = Status::of_word(&row[status]) else {
                continue;
            };
            let point = PlotPoint {
                x,
                y: None,
                half_width: 0.0,
                status: None,
            };
            let own = place(row, point);
            let is_same = |other: &&mut (Placed, Vec<_>)| {
                let other = &other.0;
                other.panel == own.panel && other.curve == own.curve && other.point.x == x
            };
            match found.iter_mut().find(is_same) {
                Some((_, loads)) => loads.push((load, status)),
                None => found.push((own, vec![(load, status)])),
            }
        }
        let bracketed = found.into_iter().map(|(mut own, loads)| {
            if let Some((low, high)) = bracket(loads) {
                own.point.y = Some(low.midpoint(high));
                own.point.half_width = (high - low) / 2.0;
            }
            own
        });
        Ok(bracketed.collect())
    }

    /// Whether every row says `unit` of its load, the first that `unit` holds of any file.
    pub fn has_load_unit<'f>(&'f self, unit: &mut Option<&'f str>) -> bool {
        self.index_of("load_unit").is_some_and(|column| {
            let mut units = self.rows.iter().map(|row| row[column].as_str());
            units.all(|own| *unit.get_or_insert(own) == own)
        })
    }
}

/// The header and the rows of the file `name`, which holds `bytes`.
fn table(name: &str, bytes: &[u8]) -> Result<(Vec<String>, Vec<Vec<String>>), FileError> {
    let text = str::from_utf8(bytes);
    let good = text.map_or_else(|error| &bytes[..error.valid_up_to()], str::as_bytes);
    let source = Source {
        file: name,
        text: str::from_utf8(good).unwrap_or_default(),
    };
    if text.is_err() {
        return Err(source.error(good.len(), Problem::NotText));
    }
    if source.text.trim_start_matches(BOM).trim().is_empty() {
        let expected = "a header, such as `series,load,latency_mean`";
        return Err(source.error_in_all(Problem::Empty { expected }));
    }
    if let Some(open) = broken_quotation(source.text) {
        return Err(source.error(open, Problem::Quotation));
    }
    let mut reader = csv::ReaderBuilder::new();
    let reader = reader.has_headers(false).flexible(true).from_reader(bytes);
    let mut table: Vec<Vec<String>> = Vec::new();
    for record in reader.into_records() {
        let record = record.expect("read from memory");
        let columns = table.first().map_or(record.len(), Vec::len);
        if record.len() != columns {
            let begins = record
                .position()
                .map_or(0, |position| position.byte() as usize);
            // The end of the line before may be counted to it.
            let row = source.text[begins..].trim_start_matches(['\r', '\n']);
            let cells = record.len();
            return Err(source.error(
                source.text.len() - row.len(),
                Problem::CellCount { cells, columns },
            ));
        }
        table.push(record.iter().map(str::to_owned).collect());
    }
    Ok((table.remove(0), table))
}

/// Where a quoted cell of `text` begins that does not end, or goes on behind its end.
fn broken_quotation(text: &str) -> Option<usize> {
    let (mut open, mut begins) = (None, true);
    let bom = text.len() - text.trim_start_matches(BOM).len();
    let mut bytes = text.bytes().enumerate().skip(bom).peekable();
    while let Some((at, byte)) = bytes.next() {
        match (open, byte) {
            (None, b'"') if begins => open = Some(at),
            (None, _) => begins = matches!(byte, b',' | b'\n' | b'\r'),
            (Some(_), b'"') => match bytes.peek().map(|&(_, next)| next) {
                Some(b'"') => _ = bytes.next(),
                None | Some(b',' | b'\n' | b'\r') => open = None,
                Some(_) => return open,
            },
            (Some(_), _) => {}
        }
    }
    open
}

/// The last load that converged below the first saturated one, and that one.
fn bracket(mut loads: Vec<(f64, Status)>) -> Option<(f64, f64)> {
    loads.sort_by(|a, b| a.0.total_cmp(&b.0));
    let high = loads.iter().find(|(_, status)| is_unstable(*status))?.0;
    let below = loads.iter().filter(|(load, _)| *load < high);
    let mut low = below.filter(|(_, status)| *status == Status::Converged);
    Some((low.next_back()?.0, high))
}

/// Whether the network did not deliver what was offered.
fn is_unstable(status: Status) -> bool {
    matches!(status, Status::Saturated | Status::Deadlock)
}

/// Whether a column is a key of scenarios, such as `router.virtual_channels`.
fn is_key(column: &str) -> bool {
    column.contains('.')
}

fn number(field: &str) -> Option<f64> {
    field
        .parse::<f64>()
        .ok()
        .filter(|number| number.is_finite())
}

/// Gives `files` names that differ: as many folders before them as it takes.
///
/// # Errors
/// A file that is given twice.
pub fn tell_apart(files: &mut [CsvFile]) -> Result<(), CommandError> {
    let whole = |file: &CsvFile| {
        file.path
            .canonicalize()
            .unwrap_or_else(|_| file.path.clone())
    };
    let paths: Vec<PathBuf> = files.iter().map(whole).collect();
    for (at, path) in paths.iter().enumerate() {
        if paths[..at].contains(path) {
            let name = &files[at].name;
            return Err(CommandError::Input(format!("{name} is given twice")));
        }
    }
    let given = |file: &CsvFile| std::path::absolute(&file.path).unwrap_or_default();
    let given: Vec<PathBuf> = files.iter().map(given).collect();
    let mut folders: Vec<_> = (files.iter().zip(&given))
        .map(|(file, path)| {
            // Those that the short name does not have.
            let above = 1 + usize::from(Some(&file.short) != stem(path).as_ref());
            path.components().rev().skip(above)
        })
        .collect();
    loop {
        let shorts: Vec<String> = files.iter().map(|file| file.short.clone()).collect();
        let is_shared = |short| shorts.iter().filter(|other| *other == short).count() > 1;
        let shared: Vec<bool> = shorts.iter().map(is_shared).collect();
        if !shared.contains(&true) {
            return Ok(());
        }
        for ((file, folders), is_shared) in files.iter_mut().zip(&mut folders).zip(shared) {
            if is_shared {
                file.short = match folders.next() {
                    Some(above) => {
                        format!("{}/{}", above.as_os_str().to_string_lossy(), file.short)
                    }
                    // Files differ, and so do the names that they were given by.
                    None if file.short == file.name => return Ok(()),
                    None => file.name.clone(),
                };
            }
        }
    }
}

fn stem(path: &Path) -> Option<String> {
    path.file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
}

/// The stem of a file, or the folder of one that every sweep calls so.
fn short_name(path: &Path) -> String {
    let is_points = path.file_name().is_some_and(|name| name == POINTS);
    let folder = path.parent().filter(|_| is_points);
    let folder = folder.and_then(Path::file_name);
    folder
        .map(|name| name.to_string_lossy().into_owned())
        .or_else(|| stem(path))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saturation_lies_between_what_converged_and_what_saturated() {
        let (converged, stopped, saturated) =
            (Status::Converged, Status::MaxCycles, Status::Saturated);
        let found = |loads: &[(f64, Status)]| bracket(loads.to_vec());
        let loads = [(0.3, saturated), (0.1, converged), (0.2, stopped)];
        assert_eq!(found(&loads), Some((0.1, 0.3)));
        // Beyond the first saturated load nothing is stable any more.
        let loads = [(0.1, converged), (0.2, saturated), (0.3, converged)];
        assert_eq!(found(&loads), Some((0.1, 0.2)));
        assert_eq!(found(&[(0.1, converged), (0.2, converged)]), None);
        assert_eq!(found(&[(0.1, saturated)]), None);
        assert_eq!(found(&[]), None);
    }
}
