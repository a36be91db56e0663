//! Routers.

use super::Import;

impl Import<'_> {
    pub(super) fn router(&mut self) {
        let vcs = self.at_least("num_vcs", 1);
        let buffer = self.at_least("vc_buf_size", 1);
        let routing = self.at_least("routing_delay", 0);
        let (vc, switch) = (
            self.at_least("vc_alloc_delay", 1),
            self.at_least("sw_alloc_delay", 1),
        );
        let traversal = self.at_least("st_prepare_delay", 0) + self.at_least("st_final_delay", 1);
        let credit = self.at_least("credit_delay", 0);
        for key in ["routing_delay", "vc_alloc_delay", "sw_alloc_delay"] {
            self.at_most_one(key, self.settings.whole(key));
        }
        self.at_most_one("st_final_delay", traversal);
        let is_speculative = self.settings.whole("speculative") != 0;
        let is_atomic = self.settings.whole("wait_for_tail_credit") != 0;
        self.table("router");
        self.said("virtual_channels", vcs, "num_vcs");
        self.said("buffer_flits", buffer, "vc_buf_size");
        self.line("# routing_delay (0: look-ahead), vc_alloc_delay, sw_alloc_delay, st_prepare_delay + st_final_delay");
        self.line(&format!(
            "pipeline = {{ routing = {routing}, vc_allocation = {vc}, switch_allocation = {switch}, \
             traversal = {traversal} }}"
        ));
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
        for key in ["input_speedup", "output_speedup"] {
            let ways = self.at_least(key, 1);
            self.said(key, ways, key);
        }
        let holds = self.settings.whole("hold_switch_for_packet") != 0;
        self.said("hold_switch", holds, "hold_switch_for_packet");
        let vc_allocator = self.allocator("vc_allocator");
        let switch_allocator = self.allocator("sw_allocator");
        self.said("vc_allocator", vc_allocator, "vc_allocator");
        self.said("switch_allocator", switch_allocator, "sw_allocator");
        let iterations = self.at_least("alloc_iters", 1);
        self.said("islip_iterations", iterations, "alloc_iters");
        self.arbiter();
        self.said(
            "injection_buffers",
            true,
            "a terminal's channel into its router is as any other",
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
        if self.settings.text("topology") == "fattree" {
            self.said("selection", "\"random\"", "nca: up by any channel");
        }
        self.speculation(is_speculative);
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

    /// The allocator that `key` names.
    fn allocator(&mut self, key: &str) -> String {
        let name = self.settings.text(key).to_owned();
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
        if ["wavefront", "maximum"].contains(&word.as_str()) {
            self.note(
                "BookSim2 moves on by one in every cycle to where a wavefront or a maximum matching begins; here it \
                 is where somebody has waited longest, so that nobody starves.",
            );
        }
        format!("\"{word}\"")
    }

    fn arbiter(&mut self) {
        match self.settings.text("arb_type") {
            "round_robin" => self.said("arbiter", "\"round-robin\"", "arb_type"),
            "matrix" => self.said("arbiter", "\"matrix\"", "arb_type"),
            _ => self.refuse(
                "arb_type",
                "there is no like of this arbiter here",
                "take `round_robin` or `matrix`",
            ),
        }
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
