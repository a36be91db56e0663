//! Which conditions the parameters of an express cube must meet.

use super::{Decomposition, ExpressParameters, Interchanges, ModuleWidths};
use crate::error;
use crate::families::common::coordinates::check_radices;
use flitsim_keys::Fault;

/// The most levels: 2^16 nodes have no room for more.
const LEVELS_MOST: u32 = 16;

/// The most channels of one level side by side.
const PARALLEL_MOST: u32 = 64;

/// The most bits of a channel.
const WIDTH_BITS_MOST: u32 = 1 << 20;

/// That `key` is wrong, and what would be right.
fn refused(key: &'static str, remedy: String, message: String) -> Result<(), Fault> {
    Err(error::refused(key, "does not fit", remedy, message))
}

/// `1, 1, 1`.
fn numbers(number: u32, count: u32) -> String {
    vec![number.to_string(); count as usize].join(", ")
}

impl ExpressParameters {
    /// Refuses what is no express cube.
    pub(super) fn check(&self) -> Result<(), Fault> {
        check_radices(&self.radices)?;
        let widest = self.radices.iter().copied().max().unwrap_or(0);
        self.check_interchanges(widest)?;
        self.check_parallel()?;
        if self.rings {
            self.check_rings()?;
        }
        let is_decomposed = self.decomposition != Decomposition::Module;
        if is_decomposed && self.interchanges == Interchanges::Interleaved {
            let remedy = "`decomposition = \"module\"`, or `interchanges = \"separate\"`";
            let message = "interleaved interchanges of several dimensions are whole modules: a \
                           level-one interchange handles a single dimension";
            return refused("decomposition", remedy.to_owned(), message.to_owned());
        }
        match &self.widths {
            Some(_) if is_decomposed => {
                let remedy = "`decomposition = \"module\"`, or no widths";
                let message = "widths that change at module boundaries need interchanges that are \
                               whole modules: the channels within an interchange have no level";
                refused("decomposition", remedy.to_owned(), message.to_owned())
            }
            Some(widths) => self.check_widths(widths, widest),
            None => Ok(()),
        }
    }

    fn check_interchanges(&self, widest: u32) -> Result<(), Fault> {
        let Self {
            interval,
            levels,
            interleaved,
            ..
        } = *self;
        if widest < 3 {
            let message =
                format!("an express cube needs a radix of at least 3; the largest is {widest}");
            return refused("radix", "`radix = 3` or more".to_owned(), message);
        }
        if !(2..widest).contains(&interval) {
            let high = widest - 1;
            let message = format!(
                "the interval is {interval}; it must be from 2 to {high}, one less than the \
                 largest radix"
            );
            let remedy = format!("`interval = {}`", interval.clamp(2, high));
            return refused("interval", remedy, message);
        }
        if !(1..=LEVELS_MOST).contains(&levels) {
            let remedy = format!("`levels = {}`", levels.clamp(1, LEVELS_MOST));
            let message =
                format!("there are {levels} levels; there must be from 1 to {LEVELS_MOST}");
            return refused("levels", remedy, message);
        }
        if interleaved == 0 || !interval.is_multiple_of(interleaved) {
            let mut lower = (1..=interleaved.clamp(1, interval)).rev();
            let nearest = lower.find(|&m| interval.is_multiple_of(m)).unwrap_or(1);
            let message = format!(
                "{interleaved} interleaved interchanges do not divide the interval {interval} \
                 evenly; the next lower number that does is {nearest}"
            );
            return refused("interleaved", format!("`interleaved = {nearest}`"), message);
        }
        if interleaved > 1 && levels > 1 {
            let message =
                format!("interleaved interchanges are simplex: they have 1 level, not {levels}");
            let remedy = "`levels = 1`, or `interleaved = 1`";
            return refused("levels", remedy.to_owned(), message);
        }
        Ok(())
    }

    fn check_rings(&self) -> Result<(), Fault> {
        let is_plain = self.decomposition == Decomposition::Module
            && self.interchanges == Interchanges::Separate
            && self.interleaved == 1
            && self.widths.is_none();
        if !is_plain {
            let message = "rings have whole, separate interchanges, one each interval, and channels of one width";
            let remedy = "`rings = false`, or leave out what is said of interchanges and widths";
            return refused("rings", remedy.to_owned(), message.to_owned());
        }
        let reach = u64::from(self.interval).checked_pow(self.levels);
        let fits = |&k: &u32| {
            reach.is_some_and(|reach| {
                u64::from(k).is_multiple_of(reach) && u64::from(k) >= 3 * reach
            })
        };
        if let Some(k) = self.radices.iter().find(|k| !fits(k)) {
            let message = format!(
                "a ring of {k} nodes has no round of three interchanges or more of level {}, {}^{} nodes apart",
                self.levels, self.interval, self.levels
            );
            let remedy = "a radix that is a multiple, at least three times, of `interval` to the power of `levels`";
            return refused("radix", remedy.to_owned(), message);
        }
        Ok(())
    }

    fn check_parallel(&self) -> Result<(), Fault> {
        const KEY: &str = "channels_per_level";
        let (given, wanted) = (self.channels_per_level.len(), self.levels + 1);
        if given != 0 && given != wanted as usize {
            let remedy = format!("give {wanted} numbers, such as `[{}]`", numbers(1, wanted));
            let message = format!(
                "{KEY} has {given} numbers; it must have {wanted}, one for the local channels and \
                 one for each level"
            );
            return refused(KEY, remedy, message);
        }
        for (level, &channels) in self.channels_per_level.iter().enumerate() {
            let subject = format!("level {level} has {channels} channels side by side");
            if !(1..=PARALLEL_MOST).contains(&channels) {
                let remedy = format!("{} channels there", channels.clamp(1, PARALLEL_MOST));
                let message = format!("{subject}; it must have from 1 to {PARALLEL_MOST}");
                return refused(KEY, remedy, message);
            }
            if channels > 1 && self.decomposition != Decomposition::Module {
                let remedy = "1 for each level, or `decomposition = \"module\"`".to_owned();
                let message = format!(
                    "{subject}; interchanges made of level-one interchanges take 1 of each level"
                );
                return refused(KEY, remedy, message);
            }
        }
        Ok(())
    }

    fn check_widths(&self, widths: &ModuleWidths, widest: u32) -> Result<(), Fault> {
        let (nodes, unit, wanted) = (widths.nodes, self.spacing(), self.levels + 1);
        if nodes == 0 || nodes >= widest || !nodes.is_multiple_of(unit) {
            // A multiple below the largest radix; the interval is below it, so that there is one.
            let nearest = (nodes / unit).clamp(1, (widest - 1) / unit) * unit;
            let message = format!(
                "a module has {nodes} nodes; it must have a multiple of {unit}, where the \
                 interchanges are, below the largest radix, {widest}"
            );
            return refused(
                "module_nodes",
                format!("`module_nodes = {nearest}`"),
                message,
            );
        }
        for (key, place, list) in [
            ("inside_width_bits", "inside", &widths.inside_bits),
            ("across_width_bits", "across", &widths.across_bits),
        ] {
            let given = list.len();
            if given != wanted as usize {
                let remedy = format!("give {wanted} numbers, such as `[{}]`", numbers(32, wanted));
                let message = format!(
                    "of {wanted} widths {place} modules, one for the local channels and one for \
                     each level, {given} are given"
                );
                return refused(key, remedy, message);
            }
            let legal = 1..=WIDTH_BITS_MOST;
            if let Some(&bits) = list.iter().find(|bits| !legal.contains(bits)) {
                let message = format!(
                    "a channel {place} modules is {bits} bits wide; it must be from 1 to \
                     {WIDTH_BITS_MOST}"
                );
                let remedy = format!("{} bits there", bits.clamp(1, WIDTH_BITS_MOST));
                return refused(key, remedy, message);
            }
        }
        Ok(())
    }
}
