// TOML: script metadata (PEP 723) and lock files (PEP 751).
export { parse, stringify } from "smol-toml";
