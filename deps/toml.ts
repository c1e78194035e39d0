// TOML 1.0 for metadata of scripts (PEP 723): small, typed, without dependencies.
export { parse as parseToml } from "smol-toml";
