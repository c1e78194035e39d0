import { z } from "../../deps/zod.ts";
import { toOutputSchema } from "../../src/results/output_schema.ts";

const READER = z.fromJSONSchema(
  JSON.parse(
    JSON.stringify({
      ...toOutputSchema({ longRuns: true }),
      additionalProperties: false,
    }),
  ),
);

/** Reads structured content; fails at a key that its schema does not describe. */
export function parseStructured(content: unknown): Record<string, unknown> {
  return READER.parse(content) as Record<string, unknown>;
}
