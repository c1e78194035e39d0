import { type Fields, fieldsOf } from "./mcp_client.ts";

/** An answer of code mode in the form of `run_python_code`'s; others as they are. */
export function toUsual(answer: Fields): Fields {
  const given = fieldsOf(answer.structuredContent);
  if (given.stdout === undefined && given.stderr === undefined) return answer;
  const { stdout = [], stderr = [], error, ...result } = given;
  const usual = result.status === "success"
    ? { ...result, output: [stdout, stderr].flat() }
    : { ...result, output: stdout, error: [stderr, error].flat().join("\n") };
  return { ...answer, structuredContent: usual };
}
