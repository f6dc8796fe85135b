//! How often the words that are asked for appear in each of several texts.

use crate::index::corpus::rarity;

/// Saturation and length of BM25, the usual values for code.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.5;

/// A row for each text: the words in it, in order, each with how often it appears. Words are
/// numbers below the number of words that are asked for.
pub(super) struct Rows {
    words: usize,
    cells: Vec<(u32, u32)>,
    /// Where the cells of each row end.
    ends: Vec<usize>,
}

impl Rows {
    /// Makes the rows of texts in which these words were found, in any order and with repetitions.
    pub(super) fn of<Found>(words: usize, texts: impl Iterator<Item = Found>) -> Rows
    where
        Found: IntoIterator<Item = (u32, u32)>,
    {
        let mut rows = Rows {
            words,
            cells: Vec::new(),
            ends: Vec::new(),
        };
        let mut row: Vec<(u32, u32)> = Vec::new();
        for found in texts {
            row.clear();
            row.extend(found);
            row.sort_unstable();
            rows.cells
                .extend(row.chunk_by(|a, b| a.0 == b.0).map(|same| {
                    let counts = same.iter().map(|(_, count)| *count);
                    (same[0].0, counts.fold(0, u32::saturating_add))
                }));
            rows.ends.push(rows.cells.len());
        }
        rows
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[(u32, u32)]> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let row = &self.cells[start..*end];
            start = *end;
            row
        })
    }

    /// Returns how rare each word is among the texts, times its weight.
    pub(super) fn rarities(&self, weights: &[f64]) -> Vec<f64> {
        let mut with = vec![0; self.words];
        for (word, _) in &self.cells {
            with[*word as usize] += 1;
        }
        let with = with.into_iter().zip(weights);
        with.map(|(with, weight)| rarity(with, self.ends.len()) * weight)
            .collect()
    }

    /// Returns, for each text, the sum of the weights of the words in it.
    pub(super) fn covered(&self, weights: &[f64]) -> Vec<f64> {
        let of_row = |row: &[(u32, u32)]| row.iter().map(|(word, _)| weights[*word as usize]).sum();
        self.iter().map(of_row).collect()
    }

    /// Returns how well each text, of these lengths, answers the words, by BM25.
    pub(super) fn bm25(&self, weights: &[f64], lengths: &[f64]) -> Vec<f64> {
        let mean = lengths.iter().sum::<f64>() / (lengths.len().max(1) as f64);
        let rarities = self.rarities(weights);
        let rows = self.iter().zip(lengths);
        rows.map(|(row, length)| {
            let norm = SATURATION * (1.0 - LENGTH + LENGTH * length / mean.max(1.0));
            let scores = row.iter().map(|(word, count)| {
                let count = f64::from(*count);
                rarities[*word as usize] * count * (SATURATION + 1.0) / (count + norm)
            });
            scores.sum()
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Rows {
        let texts = [vec![(2, 1), (0, 3), (2, 4)], vec![], vec![(1, 1)]];
        Rows::of(3, texts.into_iter())
    }

    #[test]
    fn a_row_has_each_word_once_in_order() {
        let rows = rows();
        let rows: Vec<_> = rows.iter().collect();
        let [first, second, third] = rows[..] else {
            panic!("{rows:?}")
        };
        assert_eq!(first, [(0, 3), (2, 5)]);
        assert_eq!(second, []);
        assert_eq!(third, [(1, 1)]);
    }

    #[test]
    fn a_text_scores_for_what_it_has_and_less_the_longer_it_is() {
        let rows = rows();
        assert_eq!(rows.covered(&[1.0, 2.0, 4.0]), [5.0, 0.0, 2.0]);
        let short = rows.bm25(&[1.0; 3], &[10.0, 10.0, 10.0]);
        let long = rows.bm25(&[1.0; 3], &[10.0, 10.0, 90.0]);
        assert!(short[0] > short[2] && short[2] > short[1] && short[1] <= 0.0);
        assert!(long[2] < short[2]);
    }
}
