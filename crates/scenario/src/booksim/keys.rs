//! The keys of BookSim2 (`booksim_config.cpp`), their types and defaults, and what becomes of each.

/// What becomes of a key.
#[derive(Clone, Copy, Debug)]
pub(super) enum Role {
    /// It is said, or looked at where it matters.
    Said,
    /// It has no effect on what is measured.
    Idle,
    /// Its default alone can be said; otherwise, what comes close.
    Only(&'static str),
    /// The same where buffers are shared; else it is not read.
    IfShared(&'static str),
}

/// A key of BookSim2.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyOf {
    pub(super) name: &'static str,
    /// `i`, `f` and `s`: whole numbers, numbers with a point, texts; one value of each is kept.
    pub(super) types: &'static str,
    /// As it would be written; that of the number where there is a text, too.
    pub(super) default: &'static str,
    pub(super) role: Role,
}

const fn key(name: &'static str, types: &'static str, default: &'static str, role: Role) -> KeyOf {
    KeyOf {
        name,
        types,
        default,
        role,
    }
}

use Role::{Idle, IfShared, Only, Said};

const ONE_NETWORK: &str = "a scenario has one network: `subnets = 1;`";
const POOLS: &str = "each virtual channel keeps its own places: `private_bufs = -1;`";
const READ_WRITE: &str =
    "`use_read_write = 0;`, or `mode = \"closed-loop\"` in `[traffic]` by hand";
const IDEAL: &str = "0 comes close";

/// All of them.
pub(super) const KEYS: &[KeyOf] = &[
    key(
        "channel_file",
        "s",
        "",
        Only("leave it out: wires have `delay` in `[channel]`"),
    ),
    key("subnets", "i", "1", Only(ONE_NETWORK)),
    key("topology", "s", "torus", Said),
    key("k", "i", "8", Said),
    key("n", "i", "2", Said),
    key("c", "i", "1", Said),
    key("routing_function", "s", "none", Said),
    key("use_noc_latency", "i", "1", Said),
    key("x", "i", "8", Said),
    key("y", "i", "8", Said),
    key("xr", "i", "1", Said),
    key("yr", "i", "1", Said),
    key(
        "link_failures",
        "i",
        "0",
        Only("`[faults]` names links that have failed"),
    ),
    key("fail_seed", "is", "0", Idle),
    key("in_ports", "i", "5", Idle),
    key("out_ports", "i", "5", Idle),
    key(
        "router",
        "s",
        "iq",
        Only("`router = iq;`: an input-queued router"),
    ),
    // No router reads it.
    key("output_delay", "i", "0", Idle),
    key("credit_delay", "i", "0", Said),
    key("internal_speedup", "f", "1.0", Said),
    key(
        "output_buffer_size",
        "i",
        "-1",
        Only("`output_buffer_size = -1;`: queues at outputs have room for all"),
    ),
    key(
        "noq",
        "i",
        "0",
        Only("`noq = 0;`: queues by virtual channel"),
    ),
    key("speculative", "i", "0", Said),
    key("spec_check_elig", "i", "1", Said),
    key("spec_check_cred", "i", "1", Said),
    key("spec_mask_by_reqs", "i", "0", Said),
    key("spec_sw_allocator", "s", "prio", Said),
    key("num_vcs", "i", "16", Said),
    key("vc_buf_size", "i", "8", Said),
    key("buf_size", "i", "-1", Said),
    key("buffer_policy", "s", "private", Said),
    key("private_bufs", "i", "-1", IfShared(POOLS)),
    key("private_buf_size", "is", "1", Said),
    key("private_buf_start_vc", "is", "-1", IfShared(POOLS)),
    key("private_buf_end_vc", "is", "-1", IfShared(POOLS)),
    // Of policies that `buffer_policy` refuses.
    key("max_held_slots", "i", "-1", Idle),
    key("feedback_aging_scale", "i", "1", Idle),
    key("feedback_offset", "i", "0", Idle),
    key("wait_for_tail_credit", "i", "0", Said),
    key("vc_busy_when_full", "i", "0", Only(IDEAL)),
    key("vc_prioritize_empty", "i", "0", Only(IDEAL)),
    key("vc_priority_donation", "i", "0", Only(IDEAL)),
    key("vc_shuffle_requests", "i", "0", Only(IDEAL)),
    key("hold_switch_for_packet", "i", "0", Said),
    key("input_speedup", "i", "1", Said),
    key("output_speedup", "i", "1", Said),
    key("routing_delay", "i", "1", Said),
    key("vc_alloc_delay", "i", "1", Said),
    key("sw_alloc_delay", "i", "1", Said),
    key("st_prepare_delay", "i", "0", Said),
    key("st_final_delay", "i", "1", Said),
    // The event router's.
    key("vct", "i", "0", Idle),
    key("vc_allocator", "s", "islip", Said),
    key("sw_allocator", "s", "islip", Said),
    key("arb_type", "s", "round_robin", Said),
    key("alloc_iters", "i", "1", Said),
    key(
        "classes",
        "i",
        "1",
        Only("one class of traffic: `classes = 1;`"),
    ),
    key("traffic", "s", "uniform", Said),
    key("class_priority", "is", "0", Idle),
    key("perm_seed", "is", "0", Said),
    key("injection_rate", "fs", "0.1", Said),
    key("injection_rate_uses_flits", "i", "0", Said),
    key("packet_size", "is", "1", Said),
    key("packet_size_rate", "is", "1", Said),
    key("injection_process", "s", "bernoulli", Said),
    key("burst_alpha", "f", "0.5", Said),
    key("burst_beta", "f", "0.5", Said),
    key("burst_r1", "f", "-1.0", Said),
    key(
        "priority",
        "s",
        "none",
        Only(
            "`priority = none;`, or by hand for `age` separable allocators and `arbiter = \"oldest-first\"`",
        ),
    ),
    key("batch_size", "i", "1000", Said),
    key("batch_count", "i", "1", Said),
    key("max_outstanding_requests", "i", "0", Said),
    key("use_read_write", "is", "0", Only(READ_WRITE)),
    key("write_fraction", "fs", "0.5", Idle),
    key("read_request_begin_vc", "i", "0", Idle),
    key("read_request_end_vc", "i", "5", Idle),
    key("write_request_begin_vc", "i", "2", Idle),
    key("write_request_end_vc", "i", "7", Idle),
    key("read_reply_begin_vc", "i", "8", Idle),
    key("read_reply_end_vc", "i", "13", Idle),
    key("write_reply_begin_vc", "i", "10", Idle),
    key("write_reply_end_vc", "i", "15", Idle),
    key("read_request_subnet", "i", "0", Idle),
    key("read_reply_subnet", "i", "0", Idle),
    key("write_request_subnet", "i", "0", Idle),
    key("write_reply_subnet", "i", "0", Idle),
    key("read_request_size", "is", "1", Idle),
    key("write_request_size", "is", "1", Idle),
    key("read_reply_size", "is", "1", Idle),
    key("write_reply_size", "is", "1", Idle),
    key("sim_type", "s", "latency", Said),
    // How long a run warms up and lasts is found here, and how precise it is, told.
    key("warmup_periods", "i", "3", Idle),
    key("sample_period", "i", "1000", Idle),
    key("max_samples", "i", "10", Idle),
    key("measure_stats", "is", "1", Said),
    key("pair_stats", "i", "0", Idle),
    key("latency_thres", "fs", "500.0", Said),
    key("warmup_thres", "fs", "0.05", Idle),
    key("acc_warmup_thres", "fs", "0.05", Idle),
    key("stopping_thres", "fs", "0.05", Idle),
    key("acc_stopping_thres", "fs", "0.05", Idle),
    key("sim_count", "i", "1", Said),
    key(
        "include_queuing",
        "i",
        "1",
        Only("`include_queuing = 1;`, and read the column `network_latency_mean`"),
    ),
    key("seed", "is", "0", Said),
    key("print_activity", "i", "0", Idle),
    key("print_csv_results", "i", "0", Idle),
    key("deadlock_warn_timeout", "i", "256", Idle),
    key("viewer_trace", "i", "0", Idle),
    key("watch_file", "s", "", Idle),
    key("watch_flits", "s", "", Idle),
    key("watch_packets", "s", "", Idle),
    key("watch_transactions", "s", "", Idle),
    key("watch_out", "s", "", Idle),
    key("stats_out", "s", "", Idle),
    key("sent_packets_out", "s", "", Idle),
    key("sim_power", "i", "0", Idle),
    key("power_output_file", "s", "pwr_tmp", Idle),
    key("tech_file", "s", "", Idle),
    key("channel_width", "i", "128", Idle),
    key("channel_sweep", "i", "0", Idle),
    key("network_file", "s", "", Said),
];
