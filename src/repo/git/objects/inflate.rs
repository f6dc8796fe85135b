//! Inflates what is stored, up to its expected length.

use flate2::{Decompress, FlushDecompress, Status};

use super::Fault;

/// How much memory is reserved before the data is known to exist.
const STEP: usize = 64 * 1024;

/// Inflates one stream after another.
pub(super) struct Inflater {
    state: Decompress,
    /// What was read and is not inflated yet.
    input: Vec<u8>,
}

impl Default for Inflater {
    fn default() -> Inflater {
        Inflater {
            state: Decompress::new(true),
            input: Vec::new(),
        }
    }
}

/// The source of a stream: fills what it is given and says how much of that it filled; 0 at the
/// end.
pub(super) trait Source {
    fn fill(&mut self, into: &mut [u8]) -> std::io::Result<usize>;
}

impl Inflater {
    /// Returns the stream's first bytes, at most `most`.
    pub(super) fn beginning(
        &mut self,
        source: &mut dyn Source,
        most: usize,
    ) -> Result<Vec<u8>, Fault> {
        let mut out = Vec::with_capacity(most);
        self.run(source, &mut out, |out| out.len() < most)?;
        Ok(out)
    }

    /// Returns all of the stream, which must have this length.
    pub(super) fn whole(&mut self, source: &mut dyn Source, size: usize) -> Result<Vec<u8>, Fault> {
        let mut out = Vec::with_capacity((size + 1).min(STEP));
        let mut has_room = true;
        let is_whole = self.run(source, &mut out, |out| {
            // One byte more would be too many, and is room for the end of the stream.
            if out.len() == out.capacity() && out.len() <= size {
                let room = out.len().max(STEP).min(size + 1 - out.len());
                has_room = out.try_reserve_exact(room).is_ok();
            }
            has_room && out.len() <= size
        })?;
        if !has_room {
            return Err(Fault::TooMuch);
        }
        if !is_whole || out.len() != size {
            return Err(Fault::Damaged("its length is another"));
        }
        Ok(out)
    }

    /// Inflates as long as `goes_on`; returns true if that was all.
    fn run(
        &mut self,
        source: &mut dyn Source,
        out: &mut Vec<u8>,
        mut goes_on: impl FnMut(&mut Vec<u8>) -> bool,
    ) -> Result<bool, Fault> {
        self.state.reset(true);
        self.input.resize(4096, 0);
        let (mut from, mut to) = (0, 0);
        while goes_on(out) {
            if from == to {
                (from, to) = (0, source.fill(&mut self.input)?);
                if to == 0 {
                    return Ok(false);
                }
            }
            let before = (self.state.total_in(), out.len());
            let input = &self.input[from..to];
            let status = self
                .state
                .decompress_vec(input, out, FlushDecompress::None)
                .map_err(|_| Fault::Damaged("it does not inflate"))?;
            let taken = self.state.total_in() - before.0;
            from += usize::try_from(taken).unwrap_or(to - from);
            if status == Status::StreamEnd {
                return Ok(true);
            }
            if taken == 0 && out.len() == before.1 && from < to && out.len() < out.capacity() {
                return Err(Fault::Damaged("it does not inflate"));
            }
        }
        Ok(false)
    }
}
