//! A survey for programs.

use super::Survey;
use super::words::{bisection_method, connectivity_method};
use flitsim_scenario::faults::failed;
use flitsim_topology::Network;
use flitsim_topology::properties::{DistanceMethod, FaultMethod};
use serde_json::{Map, Value, json};

/// Nodes that are more than a terminal: all, but where terminals are nodes of their own.
fn routers(network: &Network, whole: &Network) -> u32 {
    let are_apart = whole.hops_at_terminals() > 0 || whole.fat_tree().is_some();
    match are_apart {
        true => network.nodes() - network.terminals(),
        false => network.nodes(),
    }
}

impl Survey {
    /// One JSON object. What is not known is `null`.
    pub fn to_json(&self) -> Value {
        let subject = &self.subject;
        let network = &*subject.living();
        let mut object = Map::new();
        if let Some(series) = &subject.series {
            object.insert("series".to_owned(), json!(series));
        }
        for part in [
            json!({
                "kind": subject.kind(),
                "topology": subject.topology,
                "nodes": network.terminals(),
                "switches": network.nodes() - network.terminals(),
                "routers": routers(network, subject.network.whole()),
                "channels": network.channels(),
                "degree_max": self.degree_max,
                "degree_min": self.degree_min,
            }),
            self.failed_json(),
            self.distances_json(),
            self.symmetry_json(),
            self.wiring_json(),
            self.routing_json(),
        ] {
            if let Value::Object(part) = part {
                object.extend(part);
            }
        }
        Value::Object(object)
    }

    /// What has failed; nothing where nothing has.
    fn failed_json(&self) -> Value {
        let network = &self.subject.network;
        if network.damage().is_none() {
            return json!({});
        }
        let (nodes, channels) = failed(network);
        json!({ "failed_nodes": nodes, "failed_channels": channels })
    }

    fn distances_json(&self) -> Value {
        let distances = self.distances.as_ref();
        json!({
            "connected": distances.is_some(),
            "diameter": distances.map(|d| d.diameter()),
            "average_distance": distances.map(|d| d.mean_without_self()),
            "average_distance_with_self": distances.map(|d| d.mean_with_self()),
            "distance_method": distances.map(|d| match d.method {
                DistanceMethod::Exact => "exact",
                DistanceMethod::Sampled { .. } => "sampled",
            }),
            "pairs_by_distance": distances.map(|d| &d.pairs_by_distance),
        })
    }

    fn symmetry_json(&self) -> Value {
        let mut object = json!({
            "bipartite": self.is_bipartite,
            "node_symmetric": self.is_node_symmetric,
            "channel_symmetric": self.is_channel_symmetric,
            "fault_diameter_bound": self.fault_diameter_bound,
        });
        if let Some(faults) = &self.faults {
            object["node_connectivity"] = json!(faults.nodes.failures);
            object["node_connectivity_method"] = json!(connectivity_method(faults.nodes.method));
            object["channel_connectivity"] = json!(faults.channels.failures);
            object["channel_connectivity_method"] =
                json!(connectivity_method(faults.channels.method));
        }
        if let Some(found) = self.faults.as_ref().and_then(|faults| faults.diameter) {
            object["fault_diameter"] = json!(found.diameter);
            object["fault_diameter_faults"] = json!(found.faults);
            let (method, sets) = match found.method {
                FaultMethod::Exhaustive => ("exhaustive", None),
                FaultMethod::Sampled { sets } => ("sampled", Some(sets)),
            };
            object["fault_diameter_method"] = json!(method);
            object["fault_diameter_sets"] = json!(sets);
        }
        object
    }

    fn wiring_json(&self) -> Value {
        let density = self.layout_density.as_ref();
        let row = self.row_density.as_ref();
        json!({
            "row_density": row.map(|r| r.cuts().map(|(cut, _)| r.per_line(cut)).collect::<Vec<_>>()),
            "row_density_peak": row.map(|r| r.peak_per_line()),
            "row_density_peak_cut": row.and_then(|r| r.peak()).map(|(cut, _)| cut),
            "bisection_channels": self.bisection.channels,
            "bisection_method": bisection_method(self.bisection.method),
            "bisection_how": self.bisection.how,
            "pin_out": self.pin_out,
            "layout_density": density.map(|d| d.wires),
            "layout_density_source": density.map(|d| d.source.text()),
            "layout_width_wire_pitches": self.area.map(|a| a.width_wire_pitches),
            "layout_height_wire_pitches": self.area.map(|a| a.height_wire_pitches),
            "unit_bisection_links": self.unit_cost.bisection,
            "unit_density": self.unit_cost.density,
            "wire_length_min_pitches": self.wires.min_pitches,
            "wire_length_mean_pitches": self.wires.mean_pitches,
            "wire_length_max_pitches": self.wires.max_pitches,
            "wire_length_total_pitches": self.wires.total_pitches,
            "width_bits": self.subject.width_bits,
        })
    }

    fn routing_json(&self) -> Value {
        let ideal = self.throughput.as_ref();
        json!({
            "routing": self.subject.routing.name(),
            "virtual_channels": self.subject.engine.virtual_channels,
            "ideal_throughput": ideal.map(|t| t.flits),
            "ideal_throughput_with_self": ideal.map(|t| t.flits_with_self),
            "ideal_throughput_method": ideal.map(|t| t.method.name()),
        })
    }
}
