//! How far a sweep is that several parts work on.

use crate::claims::claimed;
use crate::merge::{Manifests, MergeError, PARTS, manifest_of, manifests_of, parts_in};
use crate::results::PointStore;
use crate::results::folder::{MANIFEST, is_in_use};
use crate::results::manifest::{Manifest, ManifestPoint, ManifestSeries};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How far a sweep is.
#[derive(Clone, Debug, Default)]
pub struct Status {
    /// The name of its scenario.
    pub scenario: String,
    /// Its points.
    pub points: usize,
    /// Series whose loads a search has yet to place: their points are not counted.
    pub series_unplaced: usize,
    /// Those that are simulated.
    pub done: usize,
    /// Those that were not simulated to an end, and why.
    pub failed: Vec<(ManifestPoint, String)>,
    /// Those that a part has taken and not finished, and the name of the part.
    pub taken: Vec<(ManifestPoint, String)>,
    /// The others.
    pub missing: Vec<ManifestPoint>,
    /// Whether a process simulates them into this very folder: some of the missing are under way then.
    pub is_in_use: bool,
    /// About what the rest takes at the pace so far; `None` where there is no pace yet.
    pub left: Option<Duration>,
    /// Manifests of parts that do not read, and what is wrong with them.
    pub damaged: Vec<(PathBuf, String)>,
}

/// The folders in which points of the sweep in `folder` may be: its own and those of its parts.
fn stores(folder: &Path) -> Vec<PathBuf> {
    let mut folders = parts_in(folder).unwrap_or_default();
    folders.push(folder.to_owned());
    folders
}

/// A folder of the sweep in `folder`, its own or a part's, to which somebody writes.
pub fn in_use(folder: &Path) -> Option<PathBuf> {
    stores(folder).into_iter().find(|folder| is_in_use(folder))
}

/// The keys of the points of the sweep in `folder` that are simulated, with the times they were; not of those
/// whose files are damaged.
pub fn done_in(folder: &Path) -> HashMap<String, SystemTime> {
    let stores = stores(folder).into_iter();
    stores
        .flat_map(|folder| {
            let store = PointStore::in_folder(&folder);
            let mut kept = store.kept();
            kept.retain(|(key, _)| store.reads(key));
            kept
        })
        .collect()
}

/// How far the sweep in `folder` is: that of `flitsim submit`, of parts, or of one process.
///
/// # Errors
/// A folder without a manifest that reads, its own or a part's; one of several sweeps.
pub fn status(folder: &Path) -> Result<Status, MergeError> {
    let parts = parts_in(folder)?;
    let Manifests { read, damaged } = manifests_of(&parts)?;
    let (read_from, mut manifests): (Vec<_>, Vec<_>) = read.into_iter().unzip();
    let is_of_first = |other: &Manifest| {
        let first = &manifests[0];
        other.text == first.text && other.seed == first.seed
    };
    if let Some(other) = manifests.iter().position(|other| !is_of_first(other)) {
        // Other sweeps that lie in the folder of one.
        manifests = match folder.join(MANIFEST).is_file() {
            true => vec![manifest_of(folder)?],
            false => {
                return Err(MergeError::Different {
                    first: read_from[0].to_owned(),
                    other: read_from[other].to_owned(),
                    what: "the text of the scenario, or the seed,",
                });
            }
        };
    }
    // Loads that are left to a search are in the manifests of parts only.
    let first = manifests
        .iter()
        .max_by_key(|manifest| manifest.points.len());
    let Some(first) = first else {
        return Ok(Status::default());
    };
    let done = done_in(folder);
    let errors = manifests.iter().flat_map(|manifest| &manifest.points);
    let mut errors: HashMap<&str, &str> = errors
        .filter_map(|point| Some((point.key.as_str(), point.error()?)))
        .collect();
    // They are beside the parts.
    let claims = [folder.to_owned(), folder.join(PARTS)].into_iter();
    let claims: HashMap<String, String> = claims.flat_map(|parts| claimed(&parts)).collect();
    let is_placed = |series: &&ManifestSeries| {
        let mut points = first.points.iter();
        points.any(|point| point.series == series.name)
    };
    let mut status = Status {
        scenario: first.scenario.clone(),
        points: first.points.len(),
        series_unplaced: first.series.len() - first.series.iter().filter(is_placed).count(),
        is_in_use: is_in_use(folder),
        damaged,
        ..Status::default()
    };
    for point in &first.points {
        if done.contains_key(&point.key) {
            status.done += 1;
        } else if let Some(error) = errors.remove(point.key.as_str()) {
            status.failed.push((point.clone(), error.to_owned()));
        } else if let Some(part) = claims.get(&point.key) {
            status.taken.push((point.clone(), part.clone()));
        } else {
            status.missing.push(point.clone());
        }
    }
    status.left = left(&first.points, &done);
    Ok(status)
}

/// About what the points that are not `done` take: a point costs about its load, and the pace is that of
/// all since the first one was done.
fn left(points: &[ManifestPoint], done: &HashMap<String, SystemTime>) -> Option<Duration> {
    let (first, last) = (done.values().min()?, done.values().max()?);
    let took = last.duration_since(*first).ok()?.as_secs_f64();
    let cost = |point: &&ManifestPoint| point.load.abs().max(f64::MIN_POSITIVE);
    let mut seen = HashSet::new();
    let (ready, rest): (Vec<_>, Vec<_>) = points
        .iter()
        .filter(|point| seen.insert(&point.key))
        .partition(|point| done.contains_key(&point.key));
    let [ready_cost, rest_cost] =
        [&ready, &rest].map(|points| points.iter().map(&cost).sum::<f64>());
    // The first point was done before the time is counted.
    let counted = ready_cost * (ready.len() as f64 - 1.0) / ready.len() as f64;
    let seconds = took * rest_cost / counted;
    Duration::try_from_secs_f64(seconds).ok()
}
