//! What changes from one frame to the next.

/// A rectangle of pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) left: usize,
    pub(super) top: usize,
    pub(super) width: usize,
    pub(super) height: usize,
}

impl Window {
    /// The smallest window that holds all pixels in which two frames differ; one pixel if they are equal,
    /// since a frame cannot be empty. Pixels have `depth` bytes.
    pub(super) fn of_changes(before: &[u8], after: &[u8], width: usize, depth: usize) -> Window {
        let rows = || before.chunks_exact(width * depth).zip(after.chunks_exact(width * depth));
        let Some(top) = rows().position(|(before, after)| before != after) else {
            return Window { left: 0, top: 0, width: 1, height: 1 };
        };
        let bottom = rows().rposition(|(before, after)| before != after).unwrap_or(top);
        let (mut left, mut right) = (width, 0);
        for (before, after) in rows().skip(top).take(bottom + 1 - top) {
            let differs = |(before, after): (&u8, &u8)| before != after;
            if let Some(first) = before.iter().zip(after).position(differs) {
                let last = before.iter().zip(after).rposition(differs).unwrap_or(first);
                left = left.min(first / depth);
                right = right.max(last / depth);
            }
        }
        Window { left, top, width: right + 1 - left, height: bottom + 1 - top }
    }

    /// The rows of the window in a frame.
    pub(super) fn rows<'a>(
        self,
        frame: &'a [u8],
        width: usize,
        depth: usize,
    ) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let rows = frame.chunks_exact(width * depth).skip(self.top).take(self.height);
        rows.map(move |row| &row[self.left * depth..(self.left + self.width) * depth])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_hold_all_changes_and_no_more() {
        let before = vec![0u8; 8 * 6 * 3];
        let check = |changed: &[(usize, usize)], expected: [usize; 4]| {
            let mut after = before.clone();
            for (x, y) in changed {
                after[(y * 8 + x) * 3 + 1] = 9;
            }
            let [left, top, width, height] = expected;
            let window = Window::of_changes(&before, &after, 8, 3);
            assert_eq!(window, Window { left, top, width, height });
            let inside: Vec<u8> = window.rows(&after, 8, 3).flatten().copied().collect();
            assert_eq!(inside.iter().filter(|byte| **byte == 9).count(), changed.len());
        };
        check(&[], [0, 0, 1, 1]);
        check(&[(3, 2)], [3, 2, 1, 1]);
        check(&[(0, 0), (7, 5)], [0, 0, 8, 6]);
        check(&[(5, 1), (2, 4)], [2, 1, 4, 4]);
    }
}
