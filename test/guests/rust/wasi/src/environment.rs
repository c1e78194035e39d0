//! What surrounds the guest: variables, clocks, random bytes, streams.

use std::{
    env,
    io::{self, Read, Write},
    thread,
    time::{Duration, SystemTime},
};

use crate::{Wasi, exports::test::wasi::environment::Guest, words};

impl Guest for Wasi {
    fn env(name: String) -> Result<String, String> {
        env::var(name).map_err(words)
    }

    fn env_all() -> Result<String, String> {
        let mut all: Vec<_> = env::vars()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        all.sort();
        Ok(all.join("\n"))
    }

    fn args() -> Result<String, String> {
        Ok(env::args().collect::<Vec<_>>().join("\n"))
    }

    fn now() -> Result<String, String> {
        let since = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .map_err(words)?;
        Ok(since.as_millis().to_string())
    }

    fn monotonic() -> Result<String, String> {
        Ok(wasip2::clocks::monotonic_clock::now().to_string())
    }

    fn random(length: u32) -> Result<String, String> {
        let bytes = wasip2::random::random::get_random_bytes(length.into());
        Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    fn sleep(milliseconds: u32) -> Result<String, String> {
        thread::sleep(Duration::from_millis(milliseconds.into()));
        Ok("slept".into())
    }

    fn print(text: String) -> Result<String, String> {
        write(io::stdout(), &text)
    }

    fn print_error(text: String) -> Result<String, String> {
        write(io::stderr(), &text)
    }

    fn read_input() -> Result<String, String> {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).map_err(words)?;
        Ok(text)
    }

    fn exit(code: u8) -> Result<String, String> {
        std::process::exit(code.into())
    }
}

fn write(mut stream: impl Write, text: &str) -> Result<String, String> {
    writeln!(stream, "{text}")
        .and_then(|()| stream.flush())
        .map_err(words)?;
    Ok("printed".into())
}
