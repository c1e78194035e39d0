/**
 * The cases of policies that all guests share, for components of a real server.
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals } from "../deps/assert.ts";
import { tempFolder } from "./support/folder.ts";
import { writeGuest } from "./support/guests.ts";
import {
  type Attempt,
  layPolicyGround,
  type PolicyGround,
} from "./support/policy_cases.ts";
import { startServer } from "./support/server.ts";

/** The tool that tries, with its arguments: a component sees a folder at its own path. */
function toCall(attempt: Attempt, { folder }: PolicyGround) {
  switch (attempt.kind) {
    case "read":
      return ["files__read_file", {
        path: join(folder, attempt.path),
      }] as const;
    case "write": {
      const path = join(folder, attempt.path);
      return ["files__write_file", { path, text: "changed" }] as const;
    }
    case "env":
      return ["environment__env", { name: attempt.name }] as const;
    case "net": {
      const url = `http://${attempt.host}/x`;
      return ["network__http_get", { url }] as const;
    }
  }
}

/** Whether the wall let an attempt pass: a host may be unknown then. */
function isAllowed(
  { kind }: Attempt,
  { isError, text }: { isError: boolean; text: string },
): boolean {
  return !isError || kind === "net" && !/Denied: |no network access/.test(text);
}

Deno.test("policy: the cases of all guests, for components", async (t) => {
  await using ground = await layPolicyGround();
  await using folder = await tempFolder();
  const file = await writeGuest("wasi", folder.path);
  for (const [name, value] of Object.entries(ground.env)) {
    Deno.env.set(name, value);
  }
  // One server has a component for each case.
  const options: string[] = [];
  for (const [index, one] of ground.cases.entries()) {
    options.push("--wasm", `it${index}=${file}@${await ground.write(one)}`);
  }
  await using server = await startServer(options);
  for (const [index, one] of ground.cases.entries()) {
    await t.step(one.name, async () => {
      const said: unknown[] = [];
      const came: PolicyGround["cases"][number]["attempts"] = [];
      for (const [attempt] of one.attempts) {
        const [tool, args] = toCall(attempt, ground);
        const told = await server.client.callTool({
          name: `it${index}__${tool}`,
          arguments: args,
        });
        const text = JSON.stringify(told.content);
        said.push(text);
        const isError = told.isError === true;
        came.push([attempt, isAllowed(attempt, { isError, text })]);
      }
      assertEquals(came, one.attempts, said.join("\n"));
    });
  }
  assert(ground.cases.length > 8);
});
