import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "../../../deps/assert.ts";
import { tempFolder } from "../../support/folder.ts";
import { untilIdle } from "../idle.ts";
import { McpPeer } from "../mcp_peer.ts";
import { Peer } from "../peer.ts";

/** What a session holds. */
const HELD = 30 * 1024 ** 2;
const WARM_UP = 1;
const POLL_MS = 5;
const IDLE_S = 1;
const STOCK = fileURLToPath(import.meta.resolve("../stock_snapshot.ts"));

/** Wall times, in ms. */
export interface Saving {
  /** Of a session's file. */
  bytes: number;
  saved: number[];
  /** Calls of a saved session. */
  restored: number[];
  /** The same bytes written and read, and a stock snapshot restored. */
  stock: number[];
}

/** Ours and baseline, in turns. */
export async function measureSaving(rounds: number): Promise<Saving> {
  await using folder = await tempFolder();
  const [store] = await folder.make("store");
  await Deno.chmod(store, 0o700);
  await using stock = new Peer(["-A", STOCK, join(folder.path, "file")]);
  assertEquals(await stock.receive(), "ready");
  await using server = McpPeer.startOurs([
    ...McpPeer.CACHE_ARGS,
    ...["--session-store", store, "--session-idle", String(IDLE_S)],
  ]);
  await server.connect();
  const times: Saving = { bytes: 0, saved: [], restored: [], stock: [] };
  for (let round = -WARM_UP; round < rounds; round++) {
    const { session, value } = await run(
      server,
      `kept = bytes(range(1, 256)) * (${HELD} // 255); hash(kept)`,
      "new",
    );
    const unusedAt = performance.now() + IDLE_S * 1000;
    while (!await isSaved(server, session)) await delay(POLL_MS);
    const savedMs = performance.now() - unusedAt;
    const bytes = await bytesIn(store);
    assert(bytes > 0.9 * HELD);
    await untilIdle(server.pid);

    const asked = performance.now();
    const again = await run(server, "hash(kept)", session);
    const restoredMs = performance.now() - asked;
    assertEquals(again, { session, value });
    await server.callTool("end_session", { session });
    await untilIdle(server.pid);

    await stock.send(String(bytes));
    const stockMs = Number(await stock.receive());
    if (round < 0) continue;
    times.bytes = bytes;
    times.saved.push(savedMs);
    times.restored.push(restoredMs);
    times.stock.push(stockMs);
  }
  return times;
}

async function run(server: McpPeer, code: string, session: string) {
  const { structuredContent } = await server.callTool("run_python_code", {
    ...{ python_code: code, session },
  });
  const { status, session: handle, return_value: value } = Object(
    structuredContent,
  );
  assertEquals(status, "success", JSON.stringify(structuredContent));
  return { session: String(handle), value };
}

async function isSaved(server: McpPeer, session: string): Promise<boolean> {
  const { structuredContent } = await server.callTool("list_sessions", {});
  const { sessions } = Object(structuredContent);
  const found = sessions.find((one: { session: string }) =>
    one.session === session
  );
  assertEquals(found?.unsaved, undefined);
  return found?.state === "saved";
}

async function bytesIn(folder: string): Promise<number> {
  const sizes = await Array.fromAsync(
    Deno.readDir(folder),
    async ({ name }) => (await Deno.stat(join(folder, name))).size,
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
