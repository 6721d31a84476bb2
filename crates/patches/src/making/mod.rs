//! Making patches.
