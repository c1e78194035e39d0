// Token-Oriented Object Notation (TOON 4): its own library, without dependencies.
export { encode as encodeToon } from "@toon-format/toon";
// For tests.
export { decode as decodeToon } from "@toon-format/toon";
