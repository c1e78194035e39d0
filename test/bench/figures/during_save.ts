import { assert } from "../../../deps/assert.ts";
import { namesIn, tempFolder } from "../../support/folder.ts";
import { McpPeer } from "../mcp_peer.ts";
import { run } from "./storing.ts";

/** What the session holds that is saved; the bytes are not alike. */
const HELD_MIB = 40;
/** Calls during saves, of each kind. */
const CALLS = 120;
const THINK_MS = 10;
const CHANGE = "kept[::4096] = bytes(len(kept[::4096])); None";

/** Wall times of calls, in ms. */
export interface DuringSave {
  heldMiB: number;
  /** Of fresh interpreters. */
  fresh: { during: number[]; beside: number[] };
  /** Of another session. */
  session: { during: number[]; beside: number[] };
}

/** Calls while another session of the same server is saved, and while none is. */
export async function measureDuringSave(): Promise<DuringSave> {
  await using folder = await tempFolder();
  const [store] = await folder.make("store");
  await Deno.chmod(store, 0o700);
  await using server = McpPeer.startOurs([
    ...[...McpPeer.CACHE_ARGS, "--session-store", store],
  ]);
  await server.connect();
  const saved = await run(
    server,
    `import random\nkept = bytearray(random.randbytes(${HELD_MIB} << 20)); len(kept)`,
    "new",
  );
  const other = await run(server, "x = 1", "new");
  const fresh = { during: [] as number[], beside: [] as number[] };
  const session = { during: [] as number[], beside: [] as number[] };
  const isSaving = async () =>
    (await namesIn(store)).some((name) => name.endsWith(".draft"));
  const isEnough = () =>
    [fresh, session].every(({ during }) => during.length >= CALLS);
  while (!isEnough()) {
    await run(server, CHANGE, saved);
    let seen = false;
    for (let over = false; !over;) {
      for (const [times, handle] of [[fresh], [session, other]] as const) {
        const before = await isSaving();
        const started = performance.now();
        await run(server, "x = 1", handle);
        const ms = performance.now() - started;
        const after = await isSaving();
        // A call of which a part alone was during the save is neither.
        if (before && after) times.during.push(ms);
        if (!before && !after) times.beside.push(ms);
        over = seen && !before && !after;
        seen ||= before;
        await new Promise((resolve) => setTimeout(resolve, THINK_MS));
      }
    }
  }
  assert(fresh.beside.length >= CALLS && session.beside.length >= CALLS);
  return { heldMiB: HELD_MIB, fresh, session };
}
