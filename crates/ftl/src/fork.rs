//! Copies of policies that stand behind a pointer.

/// Declares what copies a policy of this trait: every one that is `Clone` has it.
macro_rules! forks {
    ($fork:ident, $policy:ident) => {
        /// A copy in the same state, behind a pointer; every policy that is `Clone` has it.
        pub trait $fork {
            /// Makes the copy.
            fn fork(&self) -> Box<dyn $policy>;
        }

        impl<P: $policy + Clone + 'static> $fork for P {
            fn fork(&self) -> Box<dyn $policy> {
                Box::new(self.clone())
            }
        }

        impl Clone for Box<dyn $policy> {
            fn clone(&self) -> Self {
                (**self).fork()
            }
        }
    };
}
pub(crate) use forks;
