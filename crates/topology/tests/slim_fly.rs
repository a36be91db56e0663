//! Slim Fly networks: they are made by the arithmetic of finite fields, and show it.

use flitsim_topology::{Network, NodeId, SlimFly, TopologyError};

/// What a Slim Fly of `order` q says of the field of q elements: their sums and products. Of router (1, m, c),
/// which has the number (q + m)·q + c, the channel to column x of the other half leads to row mx + c.
fn tables(order: u32) -> [Vec<Vec<u32>>; 2] {
    let network = SlimFly::new(order).unwrap().into_network();
    let row = |m: u32, c: u32, x: u32| {
        let router = NodeId((order + m) * order + c);
        let mut targets = network.targets(router).iter();
        let target = targets.find(|target| target.0 / order == x);
        target.expect("a channel to each column").0 % order
    };
    let table = |of: &dyn Fn(u32, u32) -> u32| {
        let rows = (0..order).map(|a| (0..order).map(|b| of(a, b)).collect());
        rows.collect()
    };
    [table(&|a, b| row(1, b, a)), table(&|a, b| row(a, 0, b))]
}

/// The row of column m of the other half that router (0, x, y) is joined to.
fn row_across(network: &Network, order: u32, [x, y, m]: [u32; 3]) -> u32 {
    let targets = network.targets(NodeId(x * order + y)).iter();
    let mut across = targets.filter(|target| target.0 / order == order + m);
    across.next().expect("a channel to each column").0 % order
}

#[test]
fn their_fields_are_fields() {
    for order in [3, 4, 5, 7, 8, 9, 13, 16, 25, 27] {
        let [sums, products] = tables(order);
        let sum = |a: u32, b: u32| sums[a as usize][b as usize];
        let product = |a: u32, b: u32| products[a as usize][b as usize];
        for a in 0..order {
            let negatives = (0..order).filter(|&b| sum(a, b) == 0);
            assert_eq!(negatives.count(), 1, "{order}: {a}");
            assert_eq!((sum(a, 0), product(a, 1)), (a, a), "{order}");
            let inverses = (0..order).filter(|&b| product(a, b) == 1);
            assert_eq!(inverses.count(), usize::from(a > 0), "{order}: {a}");
            for (b, c) in (0..order).flat_map(|b| (0..order).map(move |c| (b, c))) {
                let (left, right) = (product(a, b), product(a, c));
                assert_eq!(product(a, sum(b, c)), sum(left, right), "{order}");
            }
        }
        let network = SlimFly::new(order).unwrap().into_network();
        for (x, y) in (0..order).flat_map(|x| (0..order).map(move |y| (x, y))) {
            for m in 0..order {
                let c = row_across(&network, order, [x, y, m]);
                assert_eq!(sum(product(m, x), c), y, "{order}: y = {m}x + c");
            }
        }
    }
}

#[test]
fn other_orders_have_no_field() {
    for order in [0, 1, 6, 10, 12, 15] {
        let TopologyError::Parameter(fault) = SlimFly::new(order).unwrap_err() else {
            panic!("{order}");
        };
        assert_eq!(fault.key(), Some("order"));
    }
    let huge = SlimFly::new(1 << 16).unwrap_err();
    assert!(matches!(huge, TopologyError::TooLarge { .. }), "{huge}");
}
