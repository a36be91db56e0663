//! The schema in the documentation. What it says is tested beside it, in `tests/schema`.

use flitsim::schema;
use std::fs;
use std::path::Path;

const KEPT: &str = "docs/scenario.schema.json";

#[test]
fn the_schema_in_the_documentation_is_the_one_that_is_printed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(KEPT);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, schema::text()).expect("the schema can be kept");
    }
    assert!(
        fs::read_to_string(&path).expect("it is kept") == schema::text(),
        "{KEPT} is not what `flitsim schema` prints: UPDATE=1 cargo test --test all schema"
    );
}
