//! What BookSim2 and Garnet call the keys of a scenario: hints for those who come from there.
//!
//! Sources: the user guide and `src/booksim_config.cpp` of BookSim2; gem5's `configs/network/Network.py` and
//! `src/mem/ruby/network/garnet/GarnetNetwork.py`.

use flitsim_keys::Foreign;

/// The names, by program.
pub static FOREIGN: [Foreign; 46] = [
    of("k", "BookSim2", "topology", "radix"),
    of("n", "BookSim2", "topology", "dimensions"),
    of(
        "cmesh",
        "BookSim2",
        "topology",
        r#"kind = "mesh"` with `terminals"#,
    ),
    of("flatfly", "BookSim2", "topology", r#"kind = "hyperx""#),
    of("num_vcs", "BookSim2", "router", "virtual_channels"),
    of(
        "vct",
        "BookSim2",
        "router",
        r#"flow_control = "virtual-cut-through""#,
    ),
    of("vc_buf_size", "BookSim2", "router", "buffer_flits"),
    of("buf_size", "BookSim2", "router", "buffer_flits"),
    of(
        "wait_for_tail_credit",
        "BookSim2",
        "router",
        r#"vc_reallocation = "atomic""#,
    ),
    of("sw_allocator", "BookSim2", "router", "switch_allocator"),
    of("alloc_iters", "BookSim2", "router", "islip_iterations"),
    of("routing_delay", "BookSim2", "router", "pipeline"),
    of("vc_alloc_delay", "BookSim2", "router", "pipeline"),
    of("sw_alloc_delay", "BookSim2", "router", "pipeline"),
    of("st_prepare_delay", "BookSim2", "router", "pipeline"),
    of("st_final_delay", "BookSim2", "router", "pipeline"),
    of("routing_function", "BookSim2", "routing", "algorithm"),
    of("traffic", "BookSim2", "traffic", "pattern"),
    of("packet_size", "BookSim2", "traffic", "packet_flits"),
    of(
        "const_flits_per_packet",
        "BookSim2",
        "traffic",
        "packet_flits",
    ),
    of("injection_process", "BookSim2", "traffic", "process"),
    of(
        "use_read_write",
        "BookSim2",
        "traffic",
        r#"mode = "closed-loop""#,
    ),
    of("batch_size", "BookSim2", "traffic", r#"mode = "batch""#),
    of("injection_rate", "BookSim2", "sweep", "load"),
    of("sim_count", "BookSim2", "sweep", "replicas"),
    of("warmup_periods", "BookSim2", "measure", "warmup"),
    of("max_samples", "BookSim2", "measure", "max_cycles"),
    of("latency_thres", "BookSim2", "measure", "latency_limit"),
    of("acc_warmup_thres", "BookSim2", "measure", "warmup"),
    of("stopping_thres", "BookSim2", "measure", "relative_error"),
    of("mesh_rows", "Garnet", "topology", "radices"),
    of("mesh_cols", "Garnet", "topology", "radices"),
    of("num_rows", "Garnet", "topology", "radices"),
    of("num_cpus", "Garnet", "topology", "radices"),
    of("vcs_per_vnet", "Garnet", "router", "virtual_channels"),
    of("vcs", "other simulators", "router", "virtual_channels"),
    of("buffers_per_data_vc", "Garnet", "router", "buffer_flits"),
    of("buffers_per_ctrl_vc", "Garnet", "router", "buffer_flits"),
    of("router_latency", "Garnet", "router", "delay"),
    of("link_latency", "Garnet", "channel", "delay"),
    of("link_width_bits", "Garnet", "channel", "width_bits"),
    of("ni_flit_size", "Garnet", "channel", "width_bits"),
    of("routing_algorithm", "Garnet", "routing", "algorithm"),
    of("synthetic", "Garnet", "traffic", "pattern"),
    of("injectionrate", "Garnet", "sweep", "load"),
    of("sim_cycles", "Garnet", "measure", "max_cycles"),
];

const fn of(
    name: &'static str,
    of: &'static str,
    table: &'static str,
    key: &'static str,
) -> Foreign {
    Foreign {
        name,
        of,
        table,
        key,
    }
}
