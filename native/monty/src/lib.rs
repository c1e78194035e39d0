//! The Monty interpreter for a host that speaks JSON: `bridge` has the requests and
//! replies. On WebAssembly the host puts text into `input()`, calls `take`, and reads
//! the reply at `output()`.

#[cfg_attr(not(target_family = "wasm"), expect(dead_code, reason = "the exports use it"))]
mod alloc;
pub mod bridge;
mod decode;
mod encode;

#[global_allocator]
static ALLOCATOR: alloc::Counting = alloc::Counting;

#[cfg(target_family = "wasm")]
mod exports;
