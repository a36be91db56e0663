//! Routers.

use super::Import;

impl Import<'_> {
    pub(super) fn router(&mut self) {
        let vcs = self.at_least("num_vcs", 1);
        let routing = self.at_least("routing_delay", 0);
        let (vc, switch) = (
            self.at_least("vc_alloc_delay", 1),
            self.at_least("sw_alloc_delay", 1),
        );
        let prepared = self.at_least("st_prepare_delay", 0);
        let traversal = prepared + self.at_least("st_final_delay", i64::from(prepared == 0));
        let credit = self.at_least("credit_delay", 0);
        for key in ["routing_delay", "vc_alloc_delay", "sw_alloc_delay"] {
            self.at_most_one(key, self.settings.whole(key));
        }
        let named = ["st_final_delay", "st_prepare_delay"][usize::from(prepared > 0)];
        self.at_most_one(named, traversal);
        let is_speculative = self.settings.whole("speculative") > 0;
        let is_atomic = self.settings.whole("wait_for_tail_credit") != 0;
        self.table("router");
        self.said("virtual_channels", vcs, "num_vcs");
        self.buffers(vcs);
        self.said(
            "pipeline",
            format_args!(
                "{{ routing = {routing}, vc_allocation = {vc}, switch_allocation = {switch}, traversal = {traversal} }}"
            ),
            "routing_delay (0: look-ahead), vc_alloc_delay, sw_alloc_delay, st_prepare_delay + st_final_delay",
        );
        self.said("speculative", is_speculative, "speculative");
        self.said(
            "credit_delay",
            credit + 2,
            "credit_delay, and the two cycles of a credit's own pipeline",
        );
        let atomic = match is_atomic {
            true => "\"atomic\"",
            false => "\"non-atomic\"",
        };
        self.said("vc_reallocation", atomic, "wait_for_tail_credit");
        self.speed_ups();
        self.internal_cycles();
        let holds = self.settings.whole("hold_switch_for_packet") > 0;
        self.said("hold_switch", holds, "hold_switch_for_packet");
        self.allocators();
        self.said(
            "injection_buffers",
            true,
            "a terminal's channel is as any other",
        );
        match self.has_ports {
            true => self.said(
                "terminal_ports",
                true,
                "channels from and to terminals have num_vcs virtual channels, as any others",
            ),
            false => self.said(
                "ejection_vcs",
                vcs,
                "num_vcs: a terminal's channel out of its router is as any other",
            ),
        }
        self.speculation(is_speculative);
    }

    /// Places of the `vcs` virtual channels of a port, and whose they are.
    fn buffers(&mut self, vcs: i64) {
        let all = self.settings.whole("buf_size");
        let (places, from) = match all {
            ..0 => (self.at_least("vc_buf_size", 1), "vc_buf_size"),
            _ => ((all / vcs).max(1), "buf_size / num_vcs"),
        };
        let is_shared = self.settings.text("buffer_policy") == "shared";
        if (0..vcs).contains(&all) || is_shared && all > 0 && all % vcs != 0 {
            let help = "a multiple of `num_vcs`, or leave it out";
            self.refuse(
                "buf_size",
                "a port has as many places for each virtual channel here",
                help,
            );
        }
        self.said("buffer_flits", places, from);
        if is_shared {
            self.sharing(places);
        } else if self.settings.text("buffer_policy") != "private" {
            let why = "it bounds what a virtual channel may take of the shared places by rules of its own";
            let help = "`buffer_policy = shared;`, or `private`";
            self.refuse("buffer_policy", why, help);
        }
    }

    /// Each virtual channel of a port has some of its `places` to itself, and shares the others.
    fn sharing(&mut self, places: i64) {
        let key = "private_buf_size";
        let own = match self.settings.whole(key) {
            ..0 => places,
            own => own,
        };
        let is_list = !self.settings.text(key).is_empty();
        if is_list || !(1..=places).contains(&own) {
            let why = "each virtual channel has as many places to itself here, one at least, so that none waits for ever";
            let help = format!("one number from 1 to {places}");
            self.refuse(key, why, &help);
        } else if own < places {
            self.said("buffer_sharing", "\"dynamic\"", "buffer_policy");
            self.said("buffer_reserve", own, key);
        } else {
            self.line("# buffer_policy: shared, and nothing is left to share");
        }
    }

    /// Steps of a router between two looks at its channels.
    fn internal_cycles(&mut self) {
        let key = "internal_speedup";
        let speedup = self.settings.real(key);
        if speedup.fract() == 0.0 && (1.0..=64.0).contains(&speedup) {
            self.said(key, speedup, key);
        } else {
            let why = "a cycle of a channel has a whole number of internal cycles here, 64 at most";
            self.refuse(key, why, "a whole number from 1.0 to 64.0");
        }
    }

    /// Refuses a stage of several cycles, which takes one flit at a time in BookSim2.
    fn at_most_one(&mut self, key: &str, cycles: i64) {
        if cycles > 1 {
            self.refuse(
                key,
                "a stage of several cycles takes a flit in each of them here, and in BookSim2 one at a time",
                "one cycle, or write `pipeline` by hand",
            );
        }
    }

    fn speed_ups(&mut self) {
        for key in ["input_speedup", "output_speedup"] {
            let ways = self.at_least(key, 1);
            self.said(key, ways, key);
        }
        let (ways, vcs) = (
            self.settings.whole("input_speedup"),
            self.settings.whole("num_vcs"),
        );
        if ways > 1 && vcs > 0 && vcs % ways != 0 {
            self.note(
                "BookSim2's turns of an input stand between its virtual channels where `input_speedup` does not divide \
                 `num_vcs`, so that some go oftener; here they take turns.",
            );
        }
        if self.settings.whole("output_speedup") > 1 {
            self.note(
                "Ports have other numbers here than in BookSim2, so that other inputs share a way out of the switch, \
                 and flits that win one output at once stand in its queue in another order.",
            );
        }
    }

    /// Both allocators. The router hands them no configuration (iq_router.cpp), so that they count what stands in
    /// parentheses, and neither `alloc_iters` nor `arb_type`.
    fn allocators(&mut self) {
        let [vc, switch] = [
            ("vc_allocator", "vc_allocator"),
            ("switch_allocator", "sw_allocator"),
        ]
        .map(|(own, key)| {
            let (word, rest) = self.allocator(key);
            self.said(own, format!("\"{word}\""), key);
            if own == "vc_allocator" && self.is_adaptive() {
                let all =
                    "a head asks for all virtual channels that it may take, of every priority";
                self.said("vc_requests", "\"all-channels\"", all);
            }
            if own == "switch_allocator" {
                let turns = "its virtual channels take turns, whatever their outputs";
                self.said("input_arbiter", "\"round-robin\"", turns);
            }
            (word.clone(), self.detail(key, &word, &rest))
        });
        let [(vc_word, vc), (switch_word, switch)] = [vc, switch];
        for (word, start, what) in [
            (
                "wavefront",
                "rotating",
                "its diagonal moves on in every cycle with a request",
            ),
            (
                "maximum",
                "rotating",
                "its first input moves on in every cycle with a request",
            ),
            (
                "pim",
                "start",
                "it draws a place, and takes the first from there",
            ),
        ] {
            if [&*vc_word, &*switch_word].contains(&word) {
                self.said(word, format!("\"{start}\""), what);
            }
        }
        self.matching_of_few_inputs(&switch_word);
        let iterations = self.alike(vc.0, switch.0, "number of iterations");
        self.said(
            "islip_iterations",
            iterations.unwrap_or(1),
            "of `islip(N)`; alloc_iters is not read",
        );
        let arbiter = self.alike(vc.1, switch.1, "arbiter");
        let arbiter = arbiter.unwrap_or("round-robin");
        self.said(
            "arbiter",
            format!("\"{arbiter}\""),
            "of `separable_…(ARBITER)`; arb_type is not read",
        );
        if !["round_robin", "matrix"].contains(&self.settings.text("arb_type")) {
            self.no_arbiter("arb_type");
        }
        if self.at_least("alloc_iters", 1) != 1 || self.settings.text("arb_type") != "round_robin" {
            self.note(
                "BookSim2's router reads neither `alloc_iters` nor `arb_type`; what counts there stands in parentheses, \
                 as in `islip(2)` and `separable_input_first(matrix)`, and so here.",
            );
        }
    }

    /// `_ShortestAugmenting` (maxsize.cpp) remembers as many outputs as there are inputs.
    fn matching_of_few_inputs(&mut self, switch_word: &str) {
        let [ways, ways_out] =
            ["input_speedup", "output_speedup"].map(|key| self.settings.whole(key));
        if switch_word == "maximum" && ways_out > ways {
            self.note(
                "BookSim2's `max_size` never matches ways out beyond as many as there are ways in, so that little or \
                 nothing arrives there where `output_speedup` is above `input_speedup`; here it matches all.",
            );
        }
    }

    /// What both allocators say alike, where they say it.
    fn alike<T: PartialEq>(&mut self, vc: Option<T>, switch: Option<T>, what: &str) -> Option<T> {
        match (vc, switch) {
            (Some(vc), Some(switch)) if vc != switch => {
                let why = format!("there is one {what} here for both allocators");
                let is_said = self.settings.place("sw_allocator").is_some();
                let key = ["vc_allocator", "sw_allocator"][usize::from(is_said)];
                self.refuse(key, &why, "the same in `vc_allocator` and `sw_allocator`");
                Some(vc)
            }
            (vc, switch) => vc.or(switch),
        }
    }

    /// The rounds and the arbiter of the allocator `word`, where it has such, after `rest` of what `key` says.
    fn detail(&mut self, key: &str, word: &str, rest: &str) -> (Option<i64>, Option<&'static str>) {
        match word {
            "islip" | "pim" => {
                let rounds = if rest.is_empty() { Ok(1) } else { rest.parse() };
                let rounds = rounds.ok().filter(|rounds| (1..=64).contains(rounds));
                if rounds.is_none() {
                    let why = format!("there is no `{word}` of so many iterations here");
                    self.refuse(key, &why, &format!("1 to 64, as in `{word}(1)`"));
                }
                // Neither looks at an arbiter.
                (rounds, None)
            }
            "separable-input-first" | "separable-output-first" => match rest {
                "" | "round_robin" => (None, Some("round-robin")),
                "matrix" => (None, Some("matrix")),
                _ => {
                    self.no_arbiter(key);
                    (None, None)
                }
            },
            _ => (None, None),
        }
    }

    fn no_arbiter(&mut self, key: &str) {
        let why = "there is no like of this arbiter here";
        self.refuse(key, why, "take `round_robin` or `matrix`");
    }

    /// The allocator that `key` names, and what stands in parentheses behind it.
    fn allocator(&mut self, key: &str) -> (String, String) {
        let text = self.settings.text(key).to_owned();
        let (name, rest) = match text.split_once('(') {
            Some((name, rest)) => (name.to_owned(), rest.trim_end_matches(')').to_owned()),
            None => (text, String::new()),
        };
        let word = match name.as_str() {
            "islip" | "pim" | "wavefront" => name,
            "separable_input_first" | "separable_output_first" => name.replace('_', "-"),
            "max_size" => "maximum".to_owned(),
            _ => {
                self.refuse(
                    key,
                    "there is no like of this allocator here",
                    "take `islip`, `pim`, `separable_input_first`, `separable_output_first`, `wavefront` or \
                     `max_size`",
                );
                name
            }
        };
        (word, rest)
    }

    fn speculation(&mut self, is_on: bool) {
        let defaults = [
            ("spec_check_elig", 1),
            ("spec_check_cred", 1),
            ("spec_mask_by_reqs", 0),
        ];
        for (key, default) in defaults {
            if is_on && self.settings.whole(key) != default {
                let help = format!("`{key} = {default};`");
                self.refuse(key, "speculation has one form here", &help);
            }
        }
        if is_on && self.settings.text("spec_sw_allocator") != "prio" {
            self.refuse(
                "spec_sw_allocator",
                "bids of flits that have a virtual channel go first here",
                "`spec_sw_allocator = prio;`",
            );
        }
    }
}
