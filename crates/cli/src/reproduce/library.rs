//! The papers that flitsim reproduces: their scenarios and claims, inside the program, so that it
//! needs no checkout.

use super::claims::Claims;
use super::items::{Item, Items};
use serde::de::DeserializeOwned;
use std::error::Error;

/// The files of a paper.
#[derive(Clone, Copy, Debug)]
pub struct Paper {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its files: name and text.
    files: &'static [(&'static str, &'static str)],
}

macro_rules! papers {
    ($($paper:literal: [$($file:literal),* $(,)?]),* $(,)?) => {
        &[$(Paper {
            name: $paper,
            files: &[$(($file, include_str!(concat!(
                "../../../../scenarios/papers/", $paper, "/", $file
            )))),*],
        }),*]
    };
}

/// Every paper.
pub const PAPERS: &[Paper] = papers! {
    "dally-k-ary-n-cubes": [
        "items.toml", "claims.toml", "networks.toml", "fig4-simulated.toml", "latency-256.toml",
        "latency-1024.toml", "hot-spot.toml", "locality.toml", "blocking.toml",
        "wires-clock.toml", "mixed-radix.toml", "node-latency.toml", "crossbar-256.toml",
    ],
    "dally-express-cubes": [
        "items.toml", "claims.toml", "throughput.toml", "local-traffic.toml", "buffers.toml",
        "networks.toml", "fig6-simulated.toml", "fig7-simulated.toml", "any-level.toml",
    ],
    "greenberg-guan-area-universal": [
        "items.toml", "claims.toml", "table1.toml", "table2.toml", "table3.toml",
        "fig2-n16.toml", "fig2-n64.toml", "fig2-n256.toml", "fig2-n1024.toml", "fig2-n4096.toml",
        "fig3-n16.toml", "fig3-n64.toml", "fig3-n256.toml", "fig3-n1024.toml", "fig3-n4096.toml",
        "fig4-n16.toml", "fig4-n64.toml", "fig4-n256.toml", "fig4-n1024.toml", "fig4-n4096.toml",
        "wires-n64.toml", "wires-n256.toml", "wires-n1024.toml", "e-cube.toml", "levels.toml",
        "algorithm.toml", "whole-flits.toml", "without-meshes.toml", "routers-n64.toml",
    ],
    "kiasari-sarbazi-azad-star-vs-hypercube": [
        "items.toml", "claims.toml", "networks.toml", "algorithms.toml",
        "fig2a-simulated.toml", "fig2b-simulated.toml", "fig2c-simulated.toml",
        "fig2d-simulated.toml", "escape-classes.toml", "few-channels.toml",
    ],
    "parhami-kwai-pruned-tori": [
        "items.toml", "claims.toml", "table1.toml",
        "fig8-k8.toml", "fig8-deep.toml", "fig8-k16.toml", "fig9-k8.toml", "fig10-k8.toml", "fig11-k8.toml",
        "fig12-k8.toml", "patterns.toml", "four-dimensions.toml", "oldest-first.toml",
    ],
};

impl Paper {
    /// The paper of this name.
    pub fn of_name(name: &str) -> Option<&'static Self> {
        PAPERS.iter().find(|paper| paper.name == name)
    }

    /// The text of one of its files.
    pub fn file(&self, name: &str) -> Option<&'static str> {
        let file = self.files.iter().find(|(file, _)| *file == name);
        file.map(|(_, text)| *text)
    }

    /// What it consists of.
    ///
    /// # Panics
    /// If its `items.toml` is wrong, which a test rules out.
    pub fn items(&self) -> Items {
        self.read("items.toml")
    }

    /// What it claims.
    ///
    /// # Panics
    /// If its `claims.toml` is wrong, which a test rules out.
    pub fn claims(&self) -> Claims {
        self.read("claims.toml")
    }

    /// The scenario of an item, by its file name and its text.
    pub fn scenario(&self, item: &Item) -> Option<(String, &'static str)> {
        let name = format!("{}.toml", item.scenario.as_ref().unwrap_or(&item.name));
        self.file(&name).map(|text| (name, text))
    }

    fn read<T: DeserializeOwned>(&self, file: &str) -> T {
        let text = self.file(file).unwrap_or_default();
        from_toml(text).unwrap_or_else(|error| panic!("{}/{file}: {error}", self.name))
    }
}

/// What `text`, as TOML, says. It becomes a value first: what reads a type from each of the forms of TOML's reader is
/// three times as long to build.
///
/// # Errors
/// What is wrong, without its line.
pub fn from_toml<T: DeserializeOwned>(text: &str) -> Result<T, Box<dyn Error>> {
    let value: serde_json::Value = toml::from_str(text)?;
    Ok(serde_json::from_value(value)?)
}
