//! `prune: drop`: whole sections go, the least important first.

use super::{Price, Priced};
use crate::section::{Form, Section};

/// Drops sections from the end until the rest costs at most `room`.
pub(super) fn drop_last(
    sections: &mut [&mut Section],
    prices: &mut [Priced],
    room: usize,
    price: &dyn Price,
) {
    let mut left = Some(room);
    for (section, priced) in sections.iter_mut().zip(prices) {
        left = left.and_then(|left| left.checked_sub(priced.within(section, left, price)?));
        if left.is_none() {
            section.set_form(&Form::Omitted);
            section.mentioned = false;
        }
    }
}
