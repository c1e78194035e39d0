/**
 * The story of code mode: search for a tool, read its docs, call three servers,
 * combine, save the function, use it in a new session. The official clients tell
 * it over stdio and HTTP, in both eras, with the real servers of the page
 * docs/code_mode.md; the audit tells it again.
 *
 * @module
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { fields } from "../src/protocol/fields.ts";
import { COMMAND_LINE } from "./support/command.ts";
import { tempFolder } from "./support/folder.ts";
import { startHttp } from "./support/http_server.ts";
import {
  getPythonPackages,
  PYTHON_CLIENTS,
  runPython,
} from "./support/python_packages.ts";
import { writeMeetings } from "./support/meetings.ts";
import { CLI } from "./support/command.ts";
import { ALL_ROUNDS } from "./support/rounds.ts";
import { ERAS, startServer, type TestClient } from "./support/server.ts";

const STORY = fileURLToPath(import.meta.resolve("./stories/code_mode.py"));
const SERVERS = ["filesystem", "memory", "time"];
const VIAS = ["stdio", "http"] as const;
const CHAPTERS = ["1_search", "2_docs", "3_combine", "4_again"];
const CODE = await Promise.all(
  CHAPTERS.map((name) =>
    Deno.readTextFile(
      fileURLToPath(import.meta.resolve(`../docs/code_mode/${name}.py`)),
    )
  ),
);

for (const [index, era] of ERAS.entries()) {
  for (const via of ALL_ROUNDS ? VIAS : VIAS.slice(index, index + 1)) {
    Deno.test(`story: code mode combines three servers, and keeps the function (${era}, ${via})`, async () => {
      await using folder = await tempFolder();
      const meetings = await writeMeetings(folder.path);
      if ("reason" in meetings) {
        return log(`skipped: the story of code mode: ${meetings.reason}`);
      }
      const server = await startServer(meetings.options, era, CLI, via);
      const answers = await tell(server);
      await server[Symbol.asyncDispose]();
      assertTold(answers);
      assertAudited(await Deno.readTextFile(meetings.audit));
      const graph = await Deno.readTextFile(join(folder.path, "memory.jsonl"));
      assertMatch(graph, /"name":"Review".*at 05:30 UTC/);
    });
  }
}

Deno.test("story: the official Python clients tell the story of code mode", async (test) => {
  for (
    const [packages, era, first] of [
      [PYTHON_CLIENTS.mcp1, "2025-11-25", "stdio"],
      [PYTHON_CLIENTS.mcp2, "2026-07-28", "http"],
    ] as const
  ) {
    const found = await getPythonPackages(...packages);
    for (const via of ALL_ROUNDS ? VIAS : [first]) {
      await test.step(`${packages[0]}, ${via}`, async () => {
        await using folder = await tempFolder();
        const meetings = await writeMeetings(folder.path);
        const missing = [found, meetings].find((one) => "reason" in one);
        if (missing && "reason" in missing) {
          return log(`skipped: the story by ${packages[0]}: ${missing.reason}`);
        }
        if ("reason" in found || "reason" in meetings) return;
        await using http = via === "http"
          ? await startHttp(meetings.options)
          : undefined;
        const where = http
          ? [http.url.href]
          : [...COMMAND_LINE, ...meetings.options, "stdio"];
        const args = [STORY, era, JSON.stringify(CODE), ...where];
        assertTold(JSON.parse(await runPython(found, args)));
      });
    }
  }
});

type Answer = Record<string, unknown>;

/** Tells the story; gives the structured contents of the answers. */
async function tell({ client }: TestClient): Promise<Answer[]> {
  const { tools } = await client.listTools();
  assertEquals(tools.map(({ name }) => name), ["run_python"]);
  const answers: Answer[] = [];
  for (const [index, code] of CODE.entries()) {
    const { structuredContent } = await client.callTool({
      name: "run_python",
      arguments: {
        ...{ code, servers: SERVERS },
        ...(index === CODE.length - 1 ? { session: "new" } : {}),
      },
    });
    answers.push(fields(structuredContent));
  }
  return answers;
}

function assertTold([searched, read, combined, again]: Answer[]): void {
  for (const answer of [searched, read, combined, again]) {
    assertEquals(answer?.status, "success", JSON.stringify(answer));
  }
  const hits = [searched?.stdout].flat().map(String);
  assertEquals(hits[0], "time convert_time");
  const stub = [read?.stdout].flat().join("\n");
  assertMatch(stub, /def convert_time\(/);
  assertMatch(stub, /source_timezone: str/);
  assertEquals(combined?.return_value, [
    ["00:30", "Sprint"],
    ["05:30", "Review"],
    ["12:15", "Retro"],
  ]);
  assertEquals(again?.return_value, [
    ["09:30", "Sprint"],
    ["14:30", "Review"],
    ["21:15", "Retro"],
  ]);
}

/** Who called which tool, with arguments of which hash, how long, how much. */
function assertAudited(text: string): void {
  const lines = text.trim().split("\n").map((line) => JSON.parse(line));
  const calls = lines.filter(({ event }) => event === "call");
  assertEquals(
    calls.map(({ server, tool }) => `${server}.${tool}`).sort(),
    [
      ...Array(2).fill("filesystem.read_text_file"),
      "memory.create_entities",
      ...Array(6).fill("time.convert_time"),
    ],
  );
  for (const call of calls) {
    assertEquals(call.outcome, "ok");
    assertMatch(call.arguments_sha256, /^[0-9a-f]{64}$/);
    assert(call.ms >= 0 && call.result_chars > 0);
    assert(lines.some((line) => line.event === "run" && line.id === call.id));
  }
  assert(
    lines.some(({ event, space }) => event === "kept" && space === "tools"),
  );
}
