//! The key of a point: a hash of all that defines it, the same on every machine and in every
//! version.
//!
//! FNV-1a with 128 bits (Fowler, Noll, Vo; RFC 9923) over canonical JSON: no white space, keys of
//! objects in ascending order of their bytes. Not cryptographic: it tells an edited scenario from
//! the one that made the results, and no one gains by forging it.

use crate::SeriesPlan;
use crate::plan::Load;
use serde_json::Value;

const OFFSET_BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

/// The 128-bit FNV-1a hash of `bytes`.
pub fn fnv1a_128(bytes: &[u8]) -> u128 {
    bytes.iter().fold(OFFSET_BASIS, |hash, &byte| {
        (hash ^ u128::from(byte)).wrapping_mul(PRIME)
    })
}

/// The [hash](fnv1a_128) of `bytes`: 32 hexadecimal digits.
pub fn digest(bytes: &[u8]) -> String {
    format!("{:032x}", fnv1a_128(bytes))
}

/// What stands for the digest of a file of JSON in it, as its member `hash`, until that is known.
pub const NO_DIGEST: &str = "00000000000000000000000000000000";

/// The member with the digest `hash`; nothing in a text is, for there quotes are escaped.
fn member(hash: &str) -> String {
    format!("\"hash\": \"{hash}\"")
}

/// `json`, with spaces behind its colons, with its digest in place of [`NO_DIGEST`].
pub fn sealed(json: &str) -> String {
    json.replacen(&member(NO_DIGEST), &member(&digest(json.as_bytes())), 1)
}

/// Whether `json`, [sealed] with `hash`, is as it was written.
pub fn is_sealed(json: &str, hash: &str) -> bool {
    let unsealed = json.replacen(&member(hash), &member(NO_DIGEST), 1);
    digest(unsealed.as_bytes()) == hash
}

/// `value` as JSON without white space, keys in ascending order whatever order they are held in.
pub fn canonical_json(value: &Value) -> String {
    let mut text = String::new();
    write_canonical(value, &mut text);
    text
}

fn write_canonical(value: &Value, to: &mut String) {
    match value {
        Value::Array(items) => {
            to.push('[');
            for (index, item) in items.iter().enumerate() {
                to.push_str(if index > 0 { "," } else { "" });
                write_canonical(item, to);
            }
            to.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| name.as_bytes());
            to.push('{');
            for (index, (name, value)) in members.into_iter().enumerate() {
                to.push_str(if index > 0 { "," } else { "" });
                to.push_str(&Value::from(name.as_str()).to_string());
                to.push(':');
                write_canonical(value, to);
            }
            to.push('}');
        }
        scalar => to.push_str(&scalar.to_string()),
    }
}

/// The key of the point of `series` at `load`: 32 hexadecimal digits, the [digest] of the [canonical
/// JSON](canonical_json) of what defines it.
pub fn point_key(series: &SeriesPlan, load: Load, seed: u64) -> String {
    let definition = canonical_json(&series.definition);
    let (load, replicas) = (Value::from(load.flits), series.replicas);
    let point = format!(
        r#"{{"definition":{definition},"load_flits":{load},"replicas":{replicas},"seed":{seed}}}"#
    );
    digest(point.as_bytes())
}
