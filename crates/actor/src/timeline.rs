//! What happens when: things with a beginning and an end, found by time.

/// Something that lasts a while.
pub trait Span {
    /// When it begins (s).
    fn start(&self) -> f32;
    /// When it is over (s).
    fn end(&self) -> f32;
}

/// Spans in order of their beginnings. Looking up a moment costs as much as what is under way near it.
#[derive(Clone, Debug)]
pub struct Timeline<T> {
    spans: Vec<T>,
    longest: f32,
}

impl<T> Default for Timeline<T> {
    fn default() -> Timeline<T> {
        Timeline { spans: Vec::new(), longest: 0.0 }
    }
}

impl<T: Span> Timeline<T> {
    /// Adds a span; those that begin together keep the order in which they came.
    pub fn push(&mut self, span: T) {
        self.longest = self.longest.max(span.end() - span.start());
        let at = self.spans.partition_point(|other| other.start() <= span.start());
        self.spans.insert(at, span);
    }

    /// What is under way at a time.
    pub fn under_way(&self, t: f32) -> impl Iterator<Item = &T> {
        let from = self.spans.partition_point(|span| span.start() < t - self.longest);
        let to = self.spans.partition_point(|span| span.start() <= t);
        self.spans[from..to.max(from)].iter().filter(move |span| span.end() >= t)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Span for (f32, f32) {
        fn start(&self) -> f32 {
            self.0
        }

        fn end(&self) -> f32 {
            self.1
        }
    }

    #[test]
    fn moments_find_all_that_is_under_way_in_order() {
        let mut timeline = Timeline::default();
        for span in [(3.0, 4.0), (0.0, 9.0), (1.0, 2.0), (3.0, 3.5), (8.0, 8.1)] {
            timeline.push(span);
        }
        let at = |t: f32| timeline.under_way(t).copied().collect::<Vec<_>>();
        assert_eq!(at(-1.0), []);
        assert_eq!(at(1.5), [(0.0, 9.0), (1.0, 2.0)]);
        assert_eq!(at(3.2), [(0.0, 9.0), (3.0, 4.0), (3.0, 3.5)]);
        assert_eq!(at(9.5), []);
    }
}
