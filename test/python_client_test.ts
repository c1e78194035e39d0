/**
 * The official Python client tells the same story over HTTP as over stdio, by both
 * of its major versions and in both eras: `stories/story.py`.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { assertEquals } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { COMMAND_LINE } from "./support/command.ts";
import { startHttp } from "./support/http_server.ts";
import {
  getPythonPackages,
  PYTHON_CLIENTS,
  runPython,
} from "./support/python_packages.ts";
import { ALL_ROUNDS } from "./support/rounds.ts";

const STORY = fileURLToPath(import.meta.resolve("./stories/story.py"));
const TABLE = fileURLToPath(
  import.meta.resolve("../docs/story/measurements.csv"),
);
const STDIO = [...COMMAND_LINE, "stdio"];
const CLIENTS = [
  { packages: PYTHON_CLIENTS.mcp1, eras: ["2025-11-25"] },
  {
    packages: PYTHON_CLIENTS.mcp2,
    eras: [...(ALL_ROUNDS ? ["2025-11-25"] : []), "2026-07-28"],
  },
];
/** Each part of the story, and the status of its answer. */
const PARTS = [
  ["tools", undefined],
  ["a table", "success"],
  ["a question", "success"],
  ["a picture", "success"],
  ["an error", "run-error"],
  ["a time-out", "timeout"],
  ["a step", undefined],
  ["progress", "success"],
  ["given up", undefined],
  ["a file", "success"],
  ["its text", undefined],
  ["fork_session", undefined],
  ["a broken copy", "crashed"],
  ["the first goes on", "success"],
  ["wrong arguments", "invalid-arguments"],
  ["the end", undefined],
  ["after the end", "session-lost"],
];

type Told = [part: string, seen: unknown][];

Deno.test("story: the official Python clients see the same over HTTP and stdio", async (test) => {
  await using server = await startHttp();
  let first: Told | undefined;
  for (const [index, { packages, eras }] of CLIENTS.entries()) {
    const [client] = packages;
    const found = await getPythonPackages(...packages);
    const reason = "reason" in found ? found.reason : undefined;
    if (reason) log(`skipped: the story by ${client}: ${reason}`);
    for (const era of eras) {
      const ways = [STDIO, [server.url.href]];
      for (const to of ALL_ROUNDS ? ways : ways.slice(index, index + 1)) {
        await test.step({
          name: `${client}, ${era}, ${to === STDIO ? "stdio" : "HTTP"}`,
          ignore: reason !== undefined,
          async fn() {
            if ("reason" in found) return;
            const args = [STORY, era, TABLE, ...to];
            const told: Told = JSON.parse(await runPython(found, args));
            assertEquals(told.map(toPart), PARTS);
            first ??= told;
            assertEquals(told, first);
          },
        });
      }
    }
  }
});

function toPart([part, seen]: Told[number]): [string, unknown] {
  return [part, Object(Object(seen).structuredContent).status];
}
