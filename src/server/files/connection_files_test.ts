import { openShares } from "../shares.ts";
import { SERVER_SETTINGS as SETTINGS } from "../../../test/support/request.ts";
import { assert, assertEquals, assertMatch } from "../../../deps/assert.ts";
import type { RunResult } from "../../protocol/run_result.ts";
import { ConnectionFiles, openFileStores } from "./connection_files.ts";

const open = (settings: typeof SETTINGS) =>
  new ConnectionFiles(settings, "a", openFileStores(openShares(settings)));

const long = (letter: string): RunResult => ({
  status: "success",
  output: [letter.repeat(400_000)],
  returnValue: letter.repeat(400_000),
});

Deno.test("ConnectionFiles keeps a result that is cut, and no other", () => {
  const files = open({ ...SETTINGS, fileTools: true });
  const short: RunResult = { status: "success", output: [], returnValue: 1 };
  assertEquals(files.keep(short).result, short);
  assertEquals(files.list(), []);
  const { result, blocks } = files.keep(long("ö"));
  const { uri = "", note = "" } = result.truncated ?? {};
  assertMatch(note, /^Cut to 30,000 characters \(--max-output\)/);
  assert(note.includes(`read_file with uri ${uri};`));
  const kept = files.get(uri);
  assertEquals(files.list(), [kept]);
  const { output, returnValue } = Object(long("ö"));
  assertEquals(JSON.parse(new TextDecoder().decode(kept?.bytes)), {
    ...{ status: "success", output, return_value: returnValue },
  });
  // Some clients put what is linked into the model's context.
  assertEquals(blocks, []);
});

Deno.test("ConnectionFiles keeps pages apart from files of their names, for their owner", () => {
  const stores = openFileStores(openShares(SETTINGS));
  const files = new ConnectionFiles(SETTINGS, "a", stores);
  const page = { title: "t", about: "a", size: 3, html: "<p>" };
  const name = "page-1.html";
  const ran: RunResult = {
    ...{ status: "success", output: [], returnValue: 1 },
    written: [{ path: name, bytes: new Uint8Array(1) }],
    pages: [{ ...page, uri: `run-python://pages/${name}` }],
  };
  const { result, blocks } = files.keep(ran);
  const [kept] = result.pages ?? [];
  assertEquals(result.pages, [{ ...page, uri: kept?.uri ?? "" }]);
  const bytes = new TextEncoder().encode("<p>");
  assertEquals(files.get(kept?.uri ?? "")?.bytes, bytes);
  assertEquals(blocks.length, 1);
  assertEquals(files.list().map(({ path }) => path), [name, name]);
  const other = new ConnectionFiles(SETTINGS, "b", stores);
  assertEquals(other.get(kept?.uri ?? ""), undefined);
  // What is shown does not count for what a model reads.
  const long = { ...ran, pages: [{ ...page, uri: "", html: "x".repeat(1e6) }] };
  assertEquals(files.keep(long).result.truncated, undefined);
});

Deno.test("ConnectionFiles sums up a large value for a model, and not for a program", () => {
  const files = open(SETTINGS);
  const returnValue = Array.from({ length: 2000 }, (_, at) => at);
  const summary = '{"type":"list","length":2000}';
  const ran: RunResult = {
    ...{ status: "success", output: [], returnValue, summary },
  };
  const { result, whole } = files.keep(ran);
  assertEquals(Object(result).returnValue, JSON.parse(summary));
  assertEquals([Object(whole).returnValue, whole?.truncated], [
    ...[returnValue, undefined],
  ]);
  const { uri = "", note = "" } = result.truncated ?? {};
  assert(files.get(uri) && note.includes(uri), note);
});

Deno.test("ConnectionFiles has a bound for the large values of 10,000 runs", () => {
  const files = open(SETTINGS);
  const ran: RunResult = {
    ...{ status: "success", output: [], returnValue: ["a".repeat(5000)] },
  };
  const [first] = Array.from({ length: 10_000 }, () => files.keep(ran));
  assertEquals(files.get(first?.result.truncated?.uri ?? ""), undefined);
  const kept = files.list();
  const bytes = kept.reduce((sum, { bytes }) => sum + bytes.length, 0);
  assert(kept.length > 1000 && bytes <= 32 * 2 ** 20, `${bytes} bytes`);
});

Deno.test("ConnectionFiles drops the oldest results, and keeps files for them", () => {
  const files = open(SETTINGS);
  const file = { path: "a", bytes: new Uint8Array(1) };
  const [first] = [1, 2].map(() =>
    files.keep({ ...long("a"), written: [file] }).result
  );
  for (let run = 0; run < 60; run++) files.keep(long("b"));
  assertEquals(files.get(first?.truncated?.uri ?? ""), undefined);
  assertEquals(files.get(first?.files?.[0]?.uri ?? "")?.path, "a");
  const kept = files.list().slice(2);
  const bytes = kept.reduce((sum, { bytes }) => sum + bytes.length, 0);
  assert(bytes > 30 * 2 ** 20 && bytes <= 32 * 2 ** 20, `${bytes} bytes`);
});
