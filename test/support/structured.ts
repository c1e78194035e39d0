import { z } from "../../deps/zod.ts";
import { OUTPUT_SCHEMA } from "../../src/results/output_schema.ts";

const READER = z.fromJSONSchema(
  JSON.parse(JSON.stringify({ ...OUTPUT_SCHEMA, additionalProperties: false })),
);

/** Reads structured content; fails at a key that its schema does not describe. */
export function parseStructured(content: unknown): Record<string, unknown> {
  return READER.parse(content) as Record<string, unknown>;
}
