/**
 * Policies (`--policy`) over real servers: the table of cases that all guests share,
 * and what Python is told of a denial.
 *
 * @module
 */
import { assert, assertEquals } from "../deps/assert.ts";
import { callRun } from "./support/monty_call.ts";
import { type Attempt, layPolicyGround } from "./support/policy_cases.ts";
import { startServer, type TestServer } from "./support/server.ts";

/** Tries in both engines; gives the words of each refusal, and None where there is none. */
const TRY = `
import json
import os
def look(attempt):
    kind = attempt["kind"]
    if kind == "read":
        return open("/mnt/" + attempt["path"]).read()
    if kind == "write":
        with open("/mnt/" + attempt["path"], "w") as file:
            file.write("changed")
        return "changed"
    if kind == "env":
        return os.environ[attempt["name"]]
    return reach("http://" + attempt["host"] + "/x")
def attempt_all(attempts):
    said = []
    for attempt in attempts:
        try:
            look(attempt)
            said.append(None)
        except Exception as error:
            said.append(repr(error))
    return json.dumps(said)
`;
const PYODIDE = `
import urllib.request
def reach(url):
    return urllib.request.urlopen(url).read()
`;
const MONTY = "def reach(url):\n    return http_request(url)\n";

/** Whether the wall let an attempt pass: without an error, or with one of the world's. */
function isAllowed({ kind }: Attempt, said: unknown): boolean {
  return said === null ||
    kind === "net" && !/No network access|Permission/.test(String(said));
}

/** Runs code on each engine. */
const ENGINES = {
  async pyodide(server: TestServer, code: string) {
    const { returnValue: result, text } = await server.call(code);
    return { result, text };
  },
  async monty(server: TestServer, code: string) {
    const { result, text } = await callRun(server, code);
    return { result: Object(result).String ?? result, text };
  },
};

for (const [engine, run] of Object.entries(ENGINES)) {
  Deno.test(`policy: the cases of all guests, for Python (${engine})`, async (t) => {
    await using ground = await layPolicyGround();
    for (const [name, value] of Object.entries(ground.env)) {
      Deno.env.set(name, value);
    }
    for (const one of ground.cases) {
      await t.step(one.name, async () => {
        const options = [
          "--engine",
          engine,
          "--policy",
          await ground.write(one),
        ];
        await using server = await startServer(options);
        const attempts = one.attempts.map(([attempt]) => attempt);
        const code = `${TRY}${
          engine === "monty" ? MONTY : PYODIDE
        }attempt_all(${JSON.stringify(attempts)})`;
        const { result, text } = await run(server, code);
        const said: unknown = JSON.parse(String(result));
        assert(Array.isArray(said), text);
        assertEquals(
          one.attempts.map((
            [attempt],
            index,
          ) => [attempt, isAllowed(attempt, said[index])]),
          one.attempts,
          JSON.stringify(said),
        );
      });
    }
  });
}
