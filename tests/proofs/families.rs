//! Networks of every family with the algorithms that fit them.

/// A network, the algorithms that fit it, and the fewest virtual channels of each: ⌊D / 2⌋ + 1 for
/// `nhop` and `nbc` at diameter D, one more for `enhanced-nbc`, D for `hop-class`, and so on.
pub struct Family {
    pub topology: &'static str,
    /// Of these nothing is left to show with one virtual channel fewer: the last classes are for
    /// packets to the ends of lines or trees, and whoever waits there waits for nobody.
    pub without_cycle: &'static [&'static str],
    pub least: &'static [(&'static str, u32)],
}

pub const FAMILIES: [Family; 17] = [
    Family {
        topology: "kind = 'mesh'\nradices = [5, 4]",
        without_cycle: &["nhop", "hop-class"],
        least: &[
            ("dimension-order", 1),
            ("west-first", 1),
            ("north-last", 1),
            ("negative-first", 1),
            ("odd-even", 1),
            ("duato", 2),
            ("valiant", 2),
            ("nhop", 4),
            ("nbc", 4),
            ("enhanced-nbc", 5),
            ("hop-class", 7),
            ("up-down", 1),
        ],
    },
    Family {
        topology: "kind = 'mesh'\nradices = [3, 3, 2]",
        without_cycle: &["hop-class"],
        least: &[
            ("dimension-order", 1),
            ("west-first", 1),
            ("north-last", 1),
            ("negative-first", 1),
            ("duato", 2),
            ("valiant", 2),
            ("nhop", 3),
            ("nbc", 3),
            ("enhanced-nbc", 4),
            ("hop-class", 5),
            ("up-down", 1),
        ],
    },
    Family {
        topology: "kind = 'hypercube'\ndimensions = 4",
        without_cycle: &[],
        least: &[
            ("dimension-order", 1),
            ("west-first", 1),
            ("north-last", 1),
            ("negative-first", 1),
            ("duato", 2),
            ("valiant", 2),
            ("nhop", 3),
            ("nbc", 3),
            ("enhanced-nbc", 4),
            ("hop-class", 4),
            ("up-down", 1),
        ],
    },
    Family {
        topology: "kind = 'torus'\nradices = [6, 4]",
        without_cycle: &[],
        least: &[
            ("dimension-order", 2),
            ("duato", 3),
            ("valiant", 4),
            ("nhop", 3),
            ("nbc", 3),
            ("enhanced-nbc", 4),
            ("hop-class", 5),
            ("up-down", 1),
        ],
    },
    Family {
        topology: "kind = 'torus'\nradices = [5, 3]",
        without_cycle: &[],
        least: &[
            ("dimension-order", 2),
            ("duato", 3),
            ("valiant", 4),
            ("hop-class", 3),
            ("up-down", 1),
        ],
    },
    Family {
        topology: "kind = 'torus'\nradix = 4\ndimensions = 2\ndirected = true",
        without_cycle: &[],
        least: &[
            ("dimension-order", 2),
            ("duato", 3),
            ("valiant", 4),
            ("nhop", 4),
            ("nbc", 4),
            ("enhanced-nbc", 5),
            ("hop-class", 6),
        ],
    },
    Family {
        topology: "kind = 'torus'\nradices = [5, 3]\ndirected = true",
        without_cycle: &[],
        least: &[
            ("dimension-order", 2),
            ("duato", 3),
            ("valiant", 4),
            ("hop-class", 6),
        ],
    },
    Family {
        topology: "kind = 'express-cube'\nradix = 16\ndimensions = 1\ninterval = 4\nlevels = 1",
        without_cycle: &["nhop", "hop-class"],
        least: &[
            ("express", 1),
            ("nhop", 6),
            ("nbc", 6),
            ("enhanced-nbc", 7),
            ("hop-class", 10),
            ("up-down", 1),
        ],
    },
    Family {
        topology: "kind = 'butterfly-fat-tree'\nprocessors = 64",
        without_cycle: &["nhop", "nbc", "enhanced-nbc", "hop-class"],
        least: &[
            ("nearest-common-ancestor", 1),
            ("nhop", 4),
            ("nbc", 4),
            ("enhanced-nbc", 5),
            ("hop-class", 6),
            ("up-down", 1),
        ],
    },
    Family {
        topology: "kind = 'fat-pyramid'\nprocessors = 64",
        without_cycle: &["hop-class"],
        least: &[
            ("fat-pyramid", 1),
            ("nearest-common-ancestor", 1),
            ("hop-class", 6),
            ("up-down", 1),
        ],
    },
    Family {
        topology: "kind = 'star'\nsymbols = 3",
        without_cycle: &[],
        least: &[
            ("nhop", 2),
            ("nbc", 2),
            ("enhanced-nbc", 3),
            ("hop-class", 3),
            ("up-down", 1),
        ],
    },
    Family {
        topology: "kind = 'star'\nsymbols = 4",
        without_cycle: &[],
        least: &[
            ("nhop", 3),
            ("nbc", 3),
            ("enhanced-nbc", 4),
            ("hop-class", 4),
            ("up-down", 1),
        ],
    },
    Family {
        topology: "kind = 'pruned-torus'\nradix = 4\ndimensions = 3",
        without_cycle: &[],
        least: &[
            ("dimension-order", 4),
            ("nhop", 4),
            ("nbc", 4),
            ("enhanced-nbc", 5),
            ("hop-class", 6),
            ("fewest-descents", 3),
            ("up-down", 1),
        ],
    },
    Family {
        topology: "kind = 'pruned-torus'\nradix = 4\ndimensions = 2",
        without_cycle: &[],
        least: &[
            ("nhop", 3),
            ("nbc", 3),
            ("enhanced-nbc", 4),
            ("hop-class", 4),
            ("fewest-descents", 2),
            ("up-down", 1),
        ],
    },
    Family {
        topology: "kind = 'manhattan-torus'\nradix = 4\ndimensions = 2",
        without_cycle: &[],
        least: &[
            ("nhop", 3),
            ("nbc", 3),
            ("enhanced-nbc", 4),
            ("hop-class", 5),
            ("fewest-descents", 2),
        ],
    },
    Family {
        topology: "kind = 'manhattan-torus'\nradix = 6\ndimensions = 2",
        without_cycle: &[],
        least: &[
            ("nhop", 4),
            ("nbc", 4),
            ("enhanced-nbc", 5),
            ("hop-class", 6),
            ("fewest-descents", 3),
        ],
    },
    Family {
        topology: "kind = 'pruned-manhattan-torus'\nradix = 4\ndimensions = 3",
        without_cycle: &[],
        least: &[
            ("nhop", 5),
            ("nbc", 5),
            ("enhanced-nbc", 6),
            ("hop-class", 9),
            ("fewest-descents", 4),
        ],
    },
];
