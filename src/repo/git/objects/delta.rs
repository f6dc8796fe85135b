//! Applies deltas: makes one object of another by what differs.

use super::Fault;

const DAMAGED: Fault = Fault::Damaged("what it is made of does not fit");

/// Returns the length that the result of a delta has, from the delta's first bytes.
pub(super) fn size(change: &[u8]) -> Result<u64, Fault> {
    let mut rest = change;
    number(&mut rest)?;
    number(&mut rest)
}

/// Applies a delta, whose result has at most `most` bytes.
pub(super) fn apply(base: &[u8], change: &[u8], most: u64) -> Result<Vec<u8>, Fault> {
    let mut rest = change;
    if number(&mut rest)? != base.len() as u64 {
        return Err(DAMAGED);
    }
    let size = number(&mut rest)?;
    if size > most {
        return Err(Fault::TooLarge(size));
    }
    let size = usize::try_from(size).map_err(|_| DAMAGED)?;
    let mut made = Vec::new();
    made.try_reserve_exact(size).map_err(|_| Fault::TooMuch)?;
    while let Some((code, behind)) = rest.split_first() {
        rest = behind;
        let piece = if *code & 0x80 == 0 {
            let (piece, behind) = rest.split_at_checked((*code).into()).ok_or(DAMAGED)?;
            rest = behind;
            piece
        } else {
            let from = bytes(&mut rest, *code & 0x0f, 4)?;
            let count = match bytes(&mut rest, *code >> 4 & 0x07, 3)? {
                0 => 0x10000,
                count => count,
            };
            base.get(from..from.saturating_add(count)).ok_or(DAMAGED)?
        };
        // A code of zero is none.
        if piece.is_empty() || made.len() + piece.len() > size {
            return Err(DAMAGED);
        }
        made.extend_from_slice(piece);
    }
    if made.len() != size {
        return Err(DAMAGED);
    }
    Ok(made)
}

/// Reads a number, seven bits in each byte, the lowest first.
fn number(rest: &mut &[u8]) -> Result<u64, Fault> {
    let mut number = 0;
    for shift in (0..63).step_by(7) {
        let (byte, behind) = rest.split_first().ok_or(DAMAGED)?;
        *rest = behind;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(DAMAGED)
}

/// Reads a number of up to `count` bytes, the lowest first, of which only those are there that have
/// a bit in `which`.
fn bytes(rest: &mut &[u8], which: u8, count: u32) -> Result<usize, Fault> {
    let mut number = 0;
    for at in 0..count {
        if which >> at & 1 == 1 {
            let (byte, behind) = rest.split_first().ok_or(DAMAGED)?;
            *rest = behind;
            number |= usize::from(*byte) << (8 * at);
        }
    }
    Ok(number)
}
