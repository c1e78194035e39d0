import { setImmediate } from "node:timers";
import { openShares } from "../shares.ts";
import { assert, assertEquals } from "../../../deps/assert.ts";
import { SERVER_SETTINGS as SETTINGS } from "../../../test/support/request.ts";
import { ConnectionFiles, openFileStores } from "./connection_files.ts";
import { Reads } from "../reads.ts";
import { serveResources } from "./resources.ts";

interface Listed {
  resources: { uri: string; name: string }[];
  nextCursor?: string;
}

/** A client's way to the resources of an owner with files and sessions. */
function open(handles: string[] = []) {
  const reads = new Reads();
  const files = new ConnectionFiles(
    SETTINGS,
    "a",
    openFileStores(openShares(SETTINGS)),
  );
  type Handler = (request: object, context?: object) => unknown;
  const handlers = new Map<string, Handler>();
  const server = {
    setRequestHandler: (
      method: string,
      handler: Handler,
    ) => void handlers.set(method, handler),
    getClientCapabilities: () => undefined,
  };
  const sessions = {
    list: () =>
      handles.map((session, at) => ({
        ...{ session, state: "ready" as const, runs: 1, memoryMiB: 1 },
        ...{ created: new Date(at).toISOString(), used: "" },
      })),
  };
  const readable = { sessions, owner: { name: "a", connection: "1" } };
  // deno-lint-ignore no-explicit-any -- a server and sessions as far as lists need them
  const parts: any = { server, ...readable, settings: SETTINGS, reads };
  serveResources(parts.server, files, { ...parts, packages: () => [] });
  const context = { mcpReq: new AbortController() };
  return {
    ...{ files, reads },
    read: (uri: string) =>
      Promise.resolve(
        handlers.get("resources/read")?.call(
          undefined,
          ...[{ params: { uri } }, context] as unknown as [object],
        ),
      ),
    keep: (count: number, name = "f") =>
      void files.keep({
        ...{ status: "success", output: [], returnValue: null },
        written: Array.from({ length: count }, (_, at) => ({
          path: `${name}${String(at).padStart(4, "0")}`,
          bytes: new Uint8Array(1),
        })),
      }),
    list: async (cursor?: string): Promise<Listed> =>
      await handlers.get("resources/list")?.(
        { params: { cursor } },
        context,
      ) as Listed,
  };
}

Deno.test("resources/list repeats no entry if a run comes between two pages", async () => {
  const { keep, list } = open();
  keep(700);
  const first = await list();
  keep(300, "later");
  const second = await list(first.nextCursor);
  const names = [...first.resources, ...second.resources]
    .map(({ name }) => name);
  assertEquals(names.length, 700);
  assertEquals(new Set(names).size, 700);
  assertEquals(second.nextCursor, undefined);
});

Deno.test("resources/list goes on behind files that were dropped meanwhile", async () => {
  const { keep, list, files } = open();
  keep(600);
  const first = await list();
  const all = files.list();
  files.list = () => all.slice(520);
  const second = await list(first.nextCursor);
  assertEquals(second.resources.length, 80);
  assertEquals(second.resources[0]?.name, "f0520");
});

Deno.test("resources/list has pages of sessions, too", async () => {
  const handles = Array.from({ length: 1200 }, (_, at) => `s${at}`);
  const { keep, list } = open(handles);
  keep(1);
  const uris: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await list(cursor);
    assert(page.resources.length <= 500, `${page.resources.length}`);
    uris.push(...page.resources.map(({ uri }) => uri));
    cursor = page.nextCursor;
  } while (cursor);
  assertEquals([uris.length, new Set(uris).size], [1201, 1201]);
  // The session that was opened last comes first.
  assert(uris[0]?.endsWith("s1199"), uris[0]);
});

Deno.test("resources/read of a file waits until the last one of its caller is taken", async () => {
  const { keep, files, read, reads } = open();
  keep(2);
  const [first = "", second = ""] = files.list().map(({ uri = "" }) => uri);
  const taken = Promise.withResolvers<void>();
  reads.taken = () => taken.promise;
  await read(first);
  let isRead = false;
  const reading = read(second).then(() => isRead = true);
  for (let turn = 0; turn < 20; turn++) {
    await new Promise((resolve) => setTimeout(resolve));
  }
  assert(!isRead);
  taken.resolve();
  await reading;
});

Deno.test("resources/read lets others have the server between making an answer and writing it", async () => {
  const { keep, files, read } = open();
  keep(1);
  const [uri = ""] = files.list().map(({ uri = "" }) => uri);
  let isServed = false;
  setImmediate(() => isServed = true);
  await read(uri);
  assert(isServed);
});
