//! Settings, through `wasi:config`.

use wasi::config::store;

wit_bindgen::generate!({ path: "../../wit/config", world: "guest", generate_all });

struct Config;
export!(Config);

impl Guest for Config {
    fn config(key: String) -> Result<String, String> {
        let value = store::get(&key).map_err(|error| error.to_string())?;
        Ok(value.unwrap_or("none".into()))
    }

    fn config_all() -> Result<String, String> {
        let mut all = store::get_all().map_err(|error| error.to_string())?;
        all.sort();
        let lines = all.iter().map(|(key, value)| format!("{key}={value}"));
        Ok(lines.collect::<Vec<_>>().join("\n"))
    }
}
