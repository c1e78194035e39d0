//! The functions that the host calls, and the function of the host that Python's output
//! goes to. An instance has one thread, and one interpreter.

use std::cell::RefCell;

use crate::{
    alloc,
    bridge::{Bridge, Print, Reply},
};

#[link(wasm_import_module = "host")]
unsafe extern "C" {
    /// Takes a piece of output.
    fn print(is_error: u32, text: *const u8, length: usize);
}

struct Host;

impl Print for Host {
    fn print(&mut self, is_error: bool, text: &str) {
        // SAFETY: the host reads the text, and keeps nothing of it.
        unsafe { print(u32::from(is_error), text.as_ptr(), text.len()) };
    }
}

thread_local! {
    static BRIDGE: RefCell<Bridge> = RefCell::default();
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Makes room for so many bytes of input; gives their address.
#[unsafe(no_mangle)]
extern "C" fn input(length: usize) -> *mut u8 {
    BUFFER.with_borrow_mut(|buffer| {
        buffer.clear();
        buffer.resize(length, 0);
        buffer.as_mut_ptr()
    })
}

/// The address of the last output.
#[unsafe(no_mangle)]
extern "C" fn output() -> *const u8 {
    BUFFER.with_borrow(|buffer| buffer.as_ptr())
}

/// Takes the request in the input; gives the length of the reply.
#[unsafe(no_mangle)]
extern "C" fn take() -> usize {
    let input = BUFFER.take();
    let reply = match serde_json::from_slice(&input) {
        Ok(request) => {
            drop(input);
            BRIDGE.with_borrow_mut(|bridge| bridge.take(request, &mut Host))
        }
        Err(error) => Reply::Wrong {
            reason: error.to_string(),
        },
    };
    put(serde_json::to_vec(&reply).unwrap_or_default())
}

/// Dumps the interpreter; gives the length of the dump, or 0 if it cannot.
#[unsafe(no_mangle)]
extern "C" fn dump() -> usize {
    put(BRIDGE.with_borrow(Bridge::dump).unwrap_or_default())
}

/// Loads the dump in the input; gives whether it could.
#[unsafe(no_mangle)]
extern "C" fn load() -> bool {
    let input = BUFFER.take();
    let Ok(loaded) = Bridge::load(&input) else {
        return false;
    };
    BRIDGE.set(loaded);
    true
}

/// Whether an allocation has failed: the instance has ended for that.
#[unsafe(export_name = "wasFull")]
extern "C" fn was_full() -> bool {
    alloc::was_full()
}

fn put(output: Vec<u8>) -> usize {
    let length = output.len();
    BUFFER.set(output);
    length
}
