//! The allocator: counts live bytes, as the interpreter's limit of memory reads them,
//! and allocations.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed},
};

use monty_types::{BASELINE_MEMORY, LIVE_MEMORY};

/// Allocations of the present run.
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
/// The most that there may be.
static MOST: AtomicU64 = AtomicU64::new(u64::MAX);
/// Bytes that were added to those that live, for the interpreter to stop.
static PRETENDED: AtomicUsize = AtomicUsize::new(0);
/// Whether the memory had no room.
static WAS_FULL: AtomicBool = AtomicBool::new(false);

/// More than any limit of memory, and less than what overflows.
const BEYOND_ALL_LIMITS: usize = usize::MAX / 2;

pub struct Counting;

// SAFETY: every method hands its arguments to `System`, and returns what that returns.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's layout, unchanged.
        check(unsafe { System.alloc(layout) })
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE_MEMORY.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's pointer and layout, unchanged.
        unsafe { System.dealloc(pointer, layout) };
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's layout, unchanged.
        check(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LIVE_MEMORY.fetch_sub(layout.size(), Relaxed);
        count(size);
        // SAFETY: the caller's pointer, layout and size, unchanged.
        check(unsafe { System.realloc(pointer, layout, size) })
    }
}

/// A failed allocation ends the instance; so it matters little that its bytes were counted.
fn check(pointer: *mut u8) -> *mut u8 {
    if pointer.is_null() {
        WAS_FULL.store(true, Relaxed);
    }
    pointer
}

fn count(bytes: usize) {
    LIVE_MEMORY.fetch_add(bytes, Relaxed);
    if ALLOCATIONS.fetch_add(1, Relaxed) == MOST.load(Relaxed) {
        PRETENDED.store(BEYOND_ALL_LIMITS, Relaxed);
        LIVE_MEMORY.fetch_add(BEYOND_ALL_LIMITS, Relaxed);
    }
}

/// Begins to count for a run, until `lift_limit()`.
pub fn limit_allocations(most: Option<u64>) {
    lift_limit();
    ALLOCATIONS.store(0, Relaxed);
    MOST.store(most.unwrap_or(u64::MAX), Relaxed);
}

/// Allocations that the run may still make; none if it has no limit.
pub fn allocations_left() -> Option<u64> {
    let most = MOST.load(Relaxed);
    (most != u64::MAX).then(|| most.saturating_sub(ALLOCATIONS.load(Relaxed)))
}

/// Ends the limit; gives whether it was reached.
pub fn lift_limit() -> bool {
    MOST.store(u64::MAX, Relaxed);
    let pretended = PRETENDED.swap(0, Relaxed);
    LIVE_MEMORY.fetch_sub(pretended, Relaxed);
    pretended > 0
}

/// Counts what lives now as the interpreter's own, and no value of Python's.
pub fn set_baseline() {
    BASELINE_MEMORY.store(LIVE_MEMORY.load(Relaxed), Relaxed);
}

pub fn was_full() -> bool {
    WAS_FULL.load(Relaxed)
}
