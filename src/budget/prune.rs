//! `prune: drop`: whole sections go, the least important first.

use super::Priced;
use crate::section::{Form, Section};

/// Drops sections from the end until the rest costs at most `room`.
pub(super) fn drop_last(sections: &mut [&mut Section], prices: &[Priced], room: usize) {
    let mut total: usize = prices.iter().map(Priced::total).sum();
    for (section, priced) in sections.iter_mut().zip(prices).rev() {
        if total <= room {
            return;
        }
        section.set_form(&Form::Omitted);
        section.mentioned = false;
        total -= priced.total();
    }
}
