//! Phases, and the ways from one to another.

/// The phases of a task in their order: a list that is not empty, of names that are not blank and differ.
#[derive(Debug, Clone, Copy)]
pub struct Phases<'p>(&'p [String]);

/// Why a phase cannot be entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PhaseError {
    /// There is no such phase.
    Unknown {
        /// What was asked for, or what the state of the task says.
        phase: String,
        /// Those there are, in their order.
        known: Vec<String>,
    },
    /// Forwards, only the very next phase can be entered.
    NotNext {
        /// The present phase.
        from: String,
        /// What was asked for.
        to: String,
        /// The phase that can be entered; `None` when the present one is the last.
        next: Option<String>,
    },
    /// Backwards, only an earlier phase can be entered.
    NotBack {
        /// The present phase.
        from: String,
        /// What was asked for.
        to: String,
        /// All phases, in their order.
        known: Vec<String>,
    },
}

impl<'p> Phases<'p> {
    /// The phases in `names`, as the configuration has checked them.
    pub fn new(names: &'p [String]) -> Self {
        Self(names)
    }

    /// Their names.
    pub fn names(self) -> &'p [String] {
        self.0
    }

    /// The place of `phase`, from 0.
    ///
    /// # Errors
    ///
    /// [`PhaseError::Unknown`].
    pub fn position(self, phase: &str) -> Result<usize, PhaseError> {
        let position = self.0.iter().position(|name| name == phase);
        position.ok_or_else(|| PhaseError::Unknown { phase: phase.to_owned(), known: self.0.to_vec() })
    }

    /// Whether `to` comes right after `from`.
    ///
    /// # Errors
    ///
    /// When it does not, or when one of them is no phase.
    pub fn check_next(self, from: &str, to: &str) -> Result<(), PhaseError> {
        let (present, next) = (self.position(from)?, self.position(to)?);
        if next == present + 1 {
            return Ok(());
        }
        let next = self.after(from).map(str::to_owned);
        Err(PhaseError::NotNext { from: from.to_owned(), to: to.to_owned(), next })
    }

    /// Whether `to` comes before `from`.
    ///
    /// # Errors
    ///
    /// When it does not, or when one of them is no phase.
    pub fn check_back(self, from: &str, to: &str) -> Result<(), PhaseError> {
        let (present, earlier) = (self.position(from)?, self.position(to)?);
        if earlier < present {
            return Ok(());
        }
        Err(PhaseError::NotBack { from: from.to_owned(), to: to.to_owned(), known: self.0.to_vec() })
    }

    /// The phase after `phase`, if it is one and not the last.
    pub fn after(self, phase: &str) -> Option<&'p str> {
        self.0.get(self.position(phase).ok()? + 1).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::{PhaseError, Phases};

    #[test]
    fn forwards_by_one_and_backwards_by_any() {
        let names = ["a", "b", "c"].map(str::to_owned);
        let phases = Phases::new(&names);
        for (present, from) in names.iter().enumerate() {
            for (wanted, to) in names.iter().enumerate() {
                assert_eq!(phases.check_next(from, to).is_ok(), wanted == present + 1, "{from} {to}");
                assert_eq!(phases.check_back(from, to).is_ok(), wanted < present, "{from} {to}");
            }
        }
        for (from, to, next) in [("a", "c", Some("b")), ("c", "a", None)] {
            let next = next.map(str::to_owned);
            let refused = PhaseError::NotNext { from: from.to_owned(), to: to.to_owned(), next };
            assert_eq!(phases.check_next(from, to), Err(refused));
        }
        for (from, to) in [("a", "x"), ("x", "b")] {
            let unknown = Err(PhaseError::Unknown { phase: "x".to_owned(), known: names.to_vec() });
            assert_eq!(phases.check_next(from, to), unknown);
            assert_eq!(phases.check_back(from, to), unknown);
        }
        assert_eq!((phases.after("a"), phases.after("c"), phases.after("x")), (Some("b"), None, None));
    }
}
