//! Which value each file has in one column: a number per file, or pairs where few files have one.

use super::values::NONE;

pub(crate) enum Cells {
    /// By file; [`NONE`] for files without a value.
    Dense(Vec<u32>),
    /// File and value, by file.
    Sparse(Vec<(u32, u32)>),
}

impl Default for Cells {
    fn default() -> Self {
        Cells::Sparse(Vec::new())
    }
}

impl Cells {
    pub(crate) fn find(&self, file: u32) -> Option<u32> {
        match self {
            Cells::Dense(cells) => cells.get(file as usize).copied().filter(|&value| value != NONE),
            Cells::Sparse(pairs) => pairs.binary_search_by_key(&file, |pair| pair.0).ok().map(|at| pairs[at].1),
        }
    }

    /// Puts a value where none is. `files` is how many files there are in all.
    pub(crate) fn put(&mut self, file: u32, value: u32, files: usize) {
        match self {
            Cells::Dense(cells) => {
                if cells.len() <= file as usize {
                    cells.resize(file as usize + 1, NONE);
                }
                cells[file as usize] = value;
            }
            Cells::Sparse(pairs) => {
                let at = pairs.partition_point(|pair| pair.0 < file);
                pairs.insert(at, (file, value));
                if pairs.len() > 256 && 4 * pairs.len() > files {
                    self.make_dense();
                }
            }
        }
    }

    pub(crate) fn clear(&mut self, file: u32) -> Option<u32> {
        match self {
            Cells::Dense(cells) => {
                let value = std::mem::replace(cells.get_mut(file as usize)?, NONE);
                (value != NONE).then_some(value)
            }
            Cells::Sparse(pairs) => {
                let at = pairs.binary_search_by_key(&file, |pair| pair.0).ok()?;
                Some(pairs.remove(at).1)
            }
        }
    }

    /// Back to pairs, for a column that few files still use.
    pub(crate) fn make_sparse(&mut self) {
        *self = Cells::Sparse(self.iter().collect());
    }

    pub(crate) fn is_dense_for(&self, used: usize) -> bool {
        matches!(self, Cells::Dense(cells) if cells.len() > 16 * (used + 16))
    }

    pub(crate) fn rename(&mut self, names: &[u32]) {
        match self {
            Cells::Dense(cells) => cells.iter_mut().filter(|cell| **cell != NONE).for_each(|cell| *cell = names[*cell as usize]),
            Cells::Sparse(pairs) => pairs.iter_mut().for_each(|pair| pair.1 = names[pair.1 as usize]),
        }
    }

    /// Files and their values, by file.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let (dense, sparse) = match self {
            Cells::Dense(cells) => (cells.as_slice(), [].as_slice()),
            Cells::Sparse(pairs) => ([].as_slice(), pairs.as_slice()),
        };
        let dense = (0..).zip(dense.iter().copied()).filter(|cell| cell.1 != NONE);
        dense.chain(sparse.iter().copied())
    }

    fn make_dense(&mut self) {
        let last = self.iter().last().map_or(0, |(file, _)| file as usize + 1);
        let mut cells = vec![NONE; last];
        self.iter().for_each(|(file, value)| cells[file as usize] = value);
        *self = Cells::Dense(cells);
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        match self {
            Cells::Dense(cells) => 4 * cells.capacity(),
            Cells::Sparse(pairs) => 8 * pairs.capacity(),
        }
    }
}
