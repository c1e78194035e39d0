// JSON with comments and trailing commas, as editors write their settings: Microsoft's own parser, without dependencies.
export { parse as parseJsonc, printParseErrorCode } from "jsonc-parser";
export type { ParseError } from "jsonc-parser";
