//! `prune: drop`: whole sections go, the least important first.

use crate::section::{Form, Section};

/// Drops these sections, which come after those that fit, without a line about them.
pub(super) fn drop_all(sections: &mut [&mut Section]) {
    for section in sections {
        section.set_form(&Form::Omitted);
        section.mentioned = false;
    }
}
