//! Finite fields of few elements.
//!
//! An element is a number below q = p^e: the digits to the base p are the coefficients of a polynomial, the
//! lowest first. Elements are added digit by digit, and multiplied modulo a polynomial of which x has all
//! other elements but 0 as powers.

use crate::memory::bytes_of;

/// The field of q elements, by its tables.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub order: u32,
    /// The prime p of which the order is a power.
    pub prime: u32,
    sums: Vec<u16>,
    products: Vec<u16>,
    /// The powers of a primitive element, from the 0th on: q − 1 of them.
    pub powers: Vec<u32>,
}

impl Field {
    /// The field of `order` elements; `None` unless that is a power of a prime, and below 2^16.
    pub(super) fn new(order: u32) -> Option<Self> {
        let prime = (2..=order).find(|p| order.is_multiple_of(*p))?;
        let is_power = std::iter::successors(Some(1u32), |power| power.checked_mul(prime))
            .take_while(|&power| power <= order)
            .any(|power| power == order);
        if !is_power || order > u32::from(u16::MAX) {
            return None;
        }
        let powers = (0..order).find_map(|low| powers(order, prime, low))?;
        let elements = 0..order;
        let pairs = elements
            .clone()
            .flat_map(|a| elements.clone().map(move |b| (a, b)));
        let sums = pairs
            .clone()
            .map(|(a, b)| sum(a, b, prime) as u16)
            .collect();
        let mut logarithms = vec![0; order as usize];
        for (power, exponent) in powers.iter().zip(0..) {
            logarithms[*power as usize] = exponent;
        }
        let product = |(a, b): (u32, u32)| match (a, b) {
            (0, _) | (_, 0) => 0,
            _ => {
                let exponent: u32 = logarithms[a as usize] + logarithms[b as usize];
                powers[(exponent % (order - 1)) as usize] as u16
            }
        };
        Some(Self {
            order,
            prime,
            sums,
            products: pairs.map(product).collect(),
            powers,
        })
    }

    #[inline]
    pub(super) fn sum(&self, a: u32, b: u32) -> u32 {
        u32::from(self.sums[(a * self.order + b) as usize])
    }

    #[inline]
    pub(super) fn product(&self, a: u32, b: u32) -> u32 {
        u32::from(self.products[(a * self.order + b) as usize])
    }

    /// −a.
    #[inline]
    pub(super) fn negative(&self, a: u32) -> u32 {
        // p − 1 is −1.
        self.product(a, self.prime - 1)
    }

    /// Elements of which sums make all others: the powers of p.
    pub(super) fn basis(&self) -> impl Iterator<Item = u32> {
        let next = |&power: &u32| Some(power * self.prime).filter(|&power| power < self.order);
        std::iter::successors(Some(1), next)
    }

    pub(super) fn bytes(&self) -> u64 {
        bytes_of(&self.sums) + bytes_of(&self.products) + bytes_of(&self.powers)
    }
}

/// a + b, digit by digit to the base `prime`.
fn sum(mut a: u32, mut b: u32, prime: u32) -> u32 {
    let (mut sum, mut place) = (0, 1);
    while a > 0 || b > 0 {
        sum += (a % prime + b % prime) % prime * place;
        (a, b, place) = (a / prime, b / prime, place * prime);
    }
    sum
}

/// The powers of x modulo x^e − `low`, where they are all elements but 0.
fn powers(order: u32, prime: u32, low: u32) -> Option<Vec<u32>> {
    let top = order / prime;
    let mut powers = Vec::with_capacity(order as usize - 1);
    let mut power = 1;
    loop {
        powers.push(power);
        let (carried, rest) = (power / top, power % top * prime);
        power = (0..carried).fold(rest, |sofar, _| sum(sofar, low, prime));
        match power {
            1 => return (powers.len() + 1 == order as usize).then_some(powers),
            0 => return None,
            _ if powers.len() >= order as usize => return None,
            _ => {}
        }
    }
}
