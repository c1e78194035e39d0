/**
 * Clients of HTTP, in a process of their own: the official client, or a raw
 * client, connected so many times. For each line with a number it calls for so many milliseconds, each
 * client one call after the other, and prints the times of the calls.
 *
 * @module
 */
import { assert, assertEquals } from "../../../deps/assert.ts";
import {
  Client,
  StreamableHTTPClientTransport,
} from "../../../deps/mcp_client.ts";
import { print } from "../../../src/log.ts";
import { readLines } from "../../../src/protocol/lines.ts";
import type { Calling } from "./clients.ts";
import { openRaw } from "./raw_client.ts";

/** The call of a client, for the next number; it fails if its answer is wrong. */
type Call = (number: number) => Promise<void>;

const CALLS: Record<
  Exclude<Calling["kind"], "raw">,
  (client: Client) => Promise<Call>
> = {
  noop: (client) =>
    Promise.resolve(async (number) => {
      const { structuredContent } = await client.callTool({
        name: "noop",
        arguments: { number },
      });
      assertEquals(structuredContent, { number });
    }),
  fresh: (client) => Promise.resolve((number) => add(client, number)),
  session: async (client) => {
    const { structuredContent } = await client.callTool({
      name: "run_python_code",
      arguments: { python_code: "", session: "new" },
    });
    const session: unknown = Object(structuredContent).session;
    assert(typeof session === "string");
    return (number) => add(client, number, { session });
  },
};

async function add(client: Client, number: number, more = {}): Promise<void> {
  const { structuredContent } = await client.callTool({
    name: "run_python_code",
    arguments: { python_code: `${number} + 1`, ...more },
  });
  const { return_value: value } = Object(structuredContent);
  assertEquals(value, number + 1, JSON.stringify(structuredContent));
}

if (import.meta.main) {
  const [text = ""] = Deno.args;
  const { url, era, clients, kind }: Calling = JSON.parse(text);
  const calls = await Promise.all(
    Array.from(
      { length: clients },
      async () =>
        kind === "raw"
          ? await openRaw(url)
          : await CALLS[kind](await connect(url, era)),
    ),
  );
  for await (const line of readLines(Deno.stdin.readable, 100)) {
    const end = performance.now() + Number(new TextDecoder().decode(line));
    const times = await Promise.all(calls.map((call) => callUntil(end, call)));
    print(`${JSON.stringify(times.flat())}\n`);
  }
  Deno.exit();
}

async function connect(url: string, era: string): Promise<Client> {
  const mode = era === "2025-11-25" ? "legacy" as const : { pin: era };
  const client = new Client({ name: "bench", version: "1" }, {
    versionNegotiation: { mode },
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

async function callUntil(end: number, call: Call): Promise<number[]> {
  const times: number[] = [];
  for (let number = 0;; number++) {
    const started = performance.now();
    if (started >= end) return times;
    await call(number);
    times.push(performance.now() - started);
  }
}
