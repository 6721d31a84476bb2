//! Files that were made for a viewer, to be fetched once.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use crate::rehearsal::Export;

/// Files that wait at most, and all of their bytes.
const FILES: usize = 64;
const BYTES: usize = 512 * 1024 * 1024;

/// The files of all sessions.
#[derive(Debug, Default)]
pub(crate) struct Downloads(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    files: VecDeque<(u64, Export)>,
    next: u64,
}

impl Downloads {
    /// Keeps a file; the oldest go when there are too many. Says where it is to be had.
    pub(crate) fn keep(&self, file: Export) -> String {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.next += 1;
        let number = kept.next;
        let url = format!("/download/{number}/{}", file.name);
        kept.files.push_back((number, file));
        let bytes = |kept: &Kept| kept.files.iter().map(|(_, file)| file.bytes.len()).sum::<usize>();
        while kept.files.len() > FILES || (kept.files.len() > 1 && bytes(&kept) > BYTES) {
            kept.files.pop_front();
        }
        url
    }

    /// Hands a file over, if it is there under this name.
    pub(crate) fn fetch(&self, number: u64, name: &str) -> Option<Export> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.files.iter().position(|(known, file)| *known == number && file.name == name)?;
        kept.files.remove(at).map(|(_, file)| file)
    }
}
