//! Hashes by which results are found again.

use flitsim_scenario::hash::{NO_DIGEST, canonical_json, fnv1a_128, is_sealed, sealed};
use serde_json::{Value, json};

#[test]
fn fnv_matches_the_published_vectors() {
    assert_eq!(fnv1a_128(b""), 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
    assert_eq!(fnv1a_128(b"a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
    assert_eq!(
        fnv1a_128(b"foobar"),
        0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18
    );
}

#[test]
fn what_is_sealed_is_whole_to_the_byte() {
    let text = format!("\"hash\": \"{NO_DIGEST}\"");
    let json = json!({"a": text, "hash": NO_DIGEST, "z": text});
    let whole = sealed(&format!("{json:#}"));
    let read: Value = serde_json::from_str(&whole).unwrap();
    assert_eq!((&read["a"], &read["z"]), (&json["a"], &json["z"]));
    let hash = read["hash"].as_str().unwrap();
    assert!(is_sealed(&whole, hash));
    for at in 0..whole.len() {
        let mut bytes = whole.clone().into_bytes();
        bytes[at] ^= 1;
        let damaged = String::from_utf8(bytes).unwrap();
        let read: Option<Value> = serde_json::from_str(&damaged).ok();
        let hash = read.and_then(|read| Some(read["hash"].as_str()?.to_owned()));
        assert!(
            !hash.is_some_and(|hash| is_sealed(&damaged, &hash)),
            "byte {at}"
        );
    }
}

#[test]
fn canonical_json_ignores_the_order_of_keys() {
    let a = json!({"b": [1, {"y": null, "x": "q\"uote"}], "a": 0.1});
    let b = json!({"a": 0.1, "b": [1, {"x": "q\"uote", "y": null}]});
    assert_eq!(canonical_json(&a), canonical_json(&b));
    assert_eq!(
        canonical_json(&a),
        r#"{"a":0.1,"b":[1,{"x":"q\"uote","y":null}]}"#
    );
}
