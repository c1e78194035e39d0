// TOML 1.0 for metadata of scripts (PEP 723) and lock files (PEP 751): small, typed, without dependencies.
export { parse as parseToml, stringify as stringifyToml } from "smol-toml";
