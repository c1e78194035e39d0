import { assertEquals } from "../../../deps/assert.ts";
import { REQUEST } from "../../../test/support/request.ts";
import { type Facts, Log } from "../../protocol/log_lines.ts";
import { forAudit, forLog, runLines } from "../run_lines.ts";
import { RunLog, type RunNotes } from "../run_log.ts";
import { toRunAudit } from "./open_code_mode_run.ts";

/** The lines of a run that notes something. */
async function linesOf(
  terms: Parameters<typeof runLines>[1],
  act: (notes: RunNotes) => void,
): Promise<Facts[]> {
  const lines: Facts[] = [];
  const decoder = new TextDecoder();
  const log = new Log(
    { logLevel: "info", logFormat: "json" },
    (line) => lines.push(JSON.parse(decoder.decode(line))),
  );
  const client = { name: "agent", version: "1", caller: "ada" };
  await new RunLog(runLines(log, terms)).follow(
    REQUEST,
    client,
    (_onEnd, onSession, notes) => {
      onSession("handle");
      act(notes);
      return Promise.resolve({ status: "success", returnValue: 1, output: [] });
    },
  );
  return lines;
}

const AUDIT = forAudit({ logCode: false });

Deno.test("toRunAudit() writes lines with the run, its client and its session, before the run's own", async () => {
  const lines = await linesOf(AUDIT, (notes) => {
    notes.onServers(["time", "files"]);
    const audit = toRunAudit(notes);
    audit("call", {
      server: "time",
      tool: "now",
      ms: 3,
      result_chars: undefined,
    });
    audit("kept", { space: "memory", action: "save", key: "k", bytes: 2 });
  });
  const [call = {}, kept = {}, run = {}] = lines;
  const { time: _, level: __, id, client, caller, session, ...rest } = call;
  assertEquals([client, caller, String(session).length], ["agent", "ada", 32]);
  assertEquals(rest, {
    ...{ event: "call", client_version: "1" },
    ...{ server: "time", tool: "now", ms: 3 },
  });
  assertEquals([kept.event, kept.id, kept.key], ["kept", id, "k"]);
  assertEquals([run.event, run.id, run.session], ["run", id, session]);
  assertEquals([run.servers, run.calls], [["time", "files"], 1]);
});

Deno.test("toRunAudit() bounds what it writes, and no fact passes for the run's own", async () => {
  const lines = await linesOf(AUDIT, (notes) => {
    toRunAudit(notes)("call", {
      ...{ tool: "x".repeat(10_000), list: Array(1000).fill("y".repeat(999)) },
      ...{ other: { a: 1 }, yes: true, none: null },
      ...{ id: "forged", client: "forged", caller: "forged" },
    });
  });
  const [{ tool, list, other, yes, none, id, client, caller } = {}] = lines;
  assertEquals(String(tool).length, 300);
  assertEquals([list].flat().length, 100);
  assertEquals([other, yes, none], ["[object Object]", "true", "null"]);
  assertEquals([client, caller, String(id).endsWith("-1")], [
    ...["agent", "ada", true],
  ]);
});

Deno.test("runLines() of the logs have a line for the run only, and a run without code mode has no new facts", async () => {
  const note = (notes: RunNotes) => notes.note("call", { outcome: "ok" });
  const lines = await linesOf(forLog({ logCode: false }), note);
  assertEquals(lines.map(({ event }) => event), ["run"]);
  const [line = {}] = await linesOf(AUDIT, () => {});
  assertEquals("servers" in line || "calls" in line, false);
});
