//! Each function tries one thing of WASI, and says what came of it.

wit_bindgen::generate!({ path: "../../wit/wasi", world: "guest" });

mod environment;
mod files;
mod network;

struct Wasi;
export!(Wasi);

/// The text of an error.
fn words<E: std::fmt::Display>(error: E) -> String {
    error.to_string()
}
