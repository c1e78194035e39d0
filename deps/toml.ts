// TOML, of script metadata (PEP 723) and lock files (PEP 751): small, fast, strict.
export { parse as parseToml, stringify as stringifyToml } from "smol-toml";
