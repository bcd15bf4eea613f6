//! [`DynFlash`] for the arrays of a simulation; each can be forked by cloning.

use crate::any_array::DynFlash;
use crate::array::Array;
use crate::channels::GrantObserver;
use crate::faults::{BadBlocks, BitErrors, PowerCut, ProgramEraseFailure, Tearable};
use crate::interface::Probe;
use crate::parallel::Parallel;
use crate::serial::Serial;
use crate::wear_level::WearLevel;
use alloc::boxed::Box;
use core::fmt::Debug;

macro_rules! forks_by_clone {
    ($(<$($below:ident: $bound:ident),*> $array:ty;)*) => {$(
        impl<$($below: $bound + Clone + Debug + 'static),*> DynFlash for $array {
            fn fork(&self) -> Option<Box<dyn DynFlash>> {
                Some(Box::new(self.clone()))
            }
        }
    )*};
}

forks_by_clone! {
    <> Array;
    <F: Probe> Serial<F>;
    <F: Probe> WearLevel<F>;
    <F: Probe, W: GrantObserver> Parallel<F, W>;
    <F: Tearable> PowerCut<F>;
    <F: Tearable> BitErrors<F>;
    <F: Tearable> ProgramEraseFailure<F>;
    <F: Probe> BadBlocks<F>;
}
