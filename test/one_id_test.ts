/**
 * One id for a call: in its answer, log, audit and span, and in refusals.
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { tempFolder } from "./support/folder.ts";
import { startHttp } from "./support/http_server.ts";
import { postCall } from "./support/mcp_post.ts";
import { startReceiver } from "./support/otlp.ts";
import { ERAS, startServer } from "./support/server.ts";

const RUN = "mcp-run-python/run";
const TOKEN = "0123456789abcdef0123456789abcdef";
const TRACEPARENT = `00-${"4b".repeat(16)}-${"0a".repeat(8)}-01`;

// deno-lint-ignore no-explicit-any
function readJson(path: string): any[] {
  return Deno.readTextFileSync(path).trim().split("\n")
    .map((line) => JSON.parse(line));
}

Deno.test("answer, header, log, audit and span of a call have one id, and the caller's own ids", async () => {
  await using folder = await tempFolder();
  await using receiver = startReceiver();
  const [log, audit] = ["a.log", "b.log"].map((name) =>
    join(folder.path, name)
  );
  const options = ["--log-file", log!, "--log-format", "json"];
  const ids: (string | null)[] = [];
  {
    await using server = await startHttp(
      [...options, "--audit", audit!],
      receiver,
    );
    for (const era of ERAS) {
      await using client = await server.connect(era, {
        headers: { traceparent: TRACEPARENT, "x-request-id": `of-${era}` },
      });
      const { _meta } = await client.client.callTool({
        ...{ name: "run_python_code", arguments: { python_code: "1" } },
      });
      ids.push(`${_meta?.[RUN]}`);
      // No code ran: the answer has an id nevertheless.
      const wrong = await client.client.callTool({
        ...{ name: "run_python_code", arguments: {} },
      });
      assertMatch(`${wrong._meta?.[RUN]}`, /^[\da-f]{8}-\d+$/);
    }
    // A result that comes at once is JSON, whose head waits for it.
    const post = postCall("2");
    const headers = { ...post.headers, accept: "application/json" };
    const hostile = { traceparent: "00-x\x80", "x-request-id": "a b" };
    const response = await server.fetch({
      ...post,
      headers: { ...headers, ...hostile, accept: post.headers.accept! },
    });
    const text = await response.text();
    const [, id = ""] = /"mcp-run-python\/run":"([^"]*)"/.exec(text) ?? [];
    const isJson = response.headers.get("content-type") === "application/json";
    assertEquals(response.headers.get("x-run-id"), isJson ? id : null);
    ids.push(id);
  }
  const toIds = (lines: { event: string; id: string }[]) =>
    lines.filter(({ event }) => event === "run").map(({ id }) => id);
  const [logged, audited] = [readJson(log!), readJson(audit!)];
  assertEquals(toIds(logged), ids);
  assertEquals(toIds(audited), ids);
  const spans = receiver.spans("tools/call run_python_code");
  assertEquals(
    spans.map(({ attributes }) => attributes["mcp_run_python.run"]),
    ids,
  );
  for (const lines of [logged, audited]) {
    const runs = lines.filter(({ event }) => event === "run");
    assertEquals(runs.map((one) => [one.traceparent, one.request_id]), [
      ...ERAS.map((era) => [TRACEPARENT, `of-${era}`]),
      [undefined, undefined],
    ]);
  }
});

Deno.test("a call that is refused has its id in header, error, log and audit, with caller, reason and option", async () => {
  await using folder = await tempFolder();
  const [log, audit, tokens] = ["a.log", "b.log", "tokens"].map((name) =>
    join(folder.path, name)
  );
  await Deno.writeTextFile(tokens!, `ada ${TOKEN}\n`, { mode: 0o600 });
  const told: unknown[] = [];
  {
    await using server = await startHttp([
      ...["--log-file", log!, "--log-format", "json", "--audit", audit!],
      ...["--token-file", tokens!, "--max-concurrency", "1", "+maxQueue=1"],
    ]);
    const authorization = `Bearer ${TOKEN}`;
    const refuse = async (
      headers: Record<string, string>,
      path?: string,
      body = "{}",
    ) => {
      const { headers: usual } = postCall("1");
      const response = await server.fetch({
        ...{ method: "POST", headers: { ...usual, ...headers }, body },
      }, path);
      const { error } = await response.json();
      const id = response.headers.get("x-run-id");
      assertEquals(error.data, { [RUN]: id });
      return [id, response.status] as const;
    };
    told.push([...await refuse({}), undefined, "--token-file"]);
    told.push([
      ...await refuse({ authorization, origin: "http://evil.example" }),
      ...[undefined, "--allowed-origin"],
    ]);
    told.push([...await refuse({}, "/none"), undefined, undefined]);
    const huge = `[${"[],".repeat(1 << 20)}[]]`;
    told.push([
      ...await refuse({ authorization }, undefined, huge),
      ...["ada", undefined],
    ]);
    // One runs, a few wait, and the others are refused.
    const stop = new AbortController();
    const calls = Array.from({ length: 30 }, async () => {
      const post = postCall("while True: pass");
      const response = await server.fetch({
        ...post,
        headers: { ...post.headers, authorization },
        signal: stop.signal,
      });
      if (response.status !== 429) throw new Error("it has a place");
      return response;
    });
    const full = await Promise.any(calls);
    assertEquals((await full.json()).error.data, {
      [RUN]: full.headers.get("x-run-id"),
    });
    told.push([full.headers.get("x-run-id"), 429, "ada", "--max-concurrency"]);
    stop.abort();
    await Promise.allSettled(calls);
  }
  for (const path of [log!, audit!]) {
    const refused = readJson(path).filter(({ event }) => event === "refused");
    const has = refused
      .map((one) =>
        JSON.stringify([one.id, one.status, one.caller, one.option])
      );
    // Of those that were refused together, some lines are left out.
    assertEquals(has.slice(0, 4), told.slice(0, 4).map((one) => toText(one)));
    assert(has.includes(toText(told[4])), has.join());
    assert(refused.every(({ reason }) => reason?.length > 10));
  }
});

/** As lists in JSON have it. */
const toText = (told: unknown) => JSON.stringify(told);

Deno.test("over stdio, an error of a call has an id, and a busy call its reason and option in the audit", async () => {
  await using folder = await tempFolder();
  const audit = join(folder.path, "audit");
  let id: unknown;
  {
    await using server = await startServer([
      ...["--audit", audit, "--max-concurrency", "1", "+maxQueue=1"],
    ]);
    const error = await server.client.callTool({ name: "none" })
      .catch((error) => error);
    assertMatch(`${error.data?.[RUN]}`, /^[\da-f]{8}-\d+$/);
    const calls = Array.from({ length: 30 }, async () => {
      const answer = await server.client.callTool({
        name: "run_python_code",
        arguments: { python_code: "while True: pass" },
        _meta: { traceparent: TRACEPARENT },
      });
      const { status } = Object(answer.structuredContent);
      if (status !== "busy") throw new Error("it had a place");
      return answer._meta?.[RUN];
    });
    id = await Promise.any(calls);
    void Promise.allSettled(calls);
  }
  const busy = readJson(audit).find((line) => line.id === id);
  assertEquals(
    [busy.status, busy.option, busy.traceparent],
    ["busy", "--max-concurrency", TRACEPARENT],
  );
  assertMatch(busy.reason, /^Cannot run this now as all places are taken/);
});
