/**
 * The server that a program embeds in its own: the official client, real processes.
 *
 * @module
 */
import { assert, assertEquals, assertRejects } from "../deps/assert.ts";
import { StreamableHTTPClientTransport } from "../deps/mcp_client.ts";
import {
  createServer,
  type FetchOptions,
  type Server,
  type ServerOptions,
} from "../src/library/server.ts";
import { log } from "../src/log.ts";
import {
  connectBy,
  type Era,
  ERAS,
  type TestClient,
} from "./support/client.ts";
import { CACHE } from "./support/command.ts";
import { INITIALIZE, postCall } from "./support/mcp_post.ts";
import {
  commandLine,
  descendants,
  processesNamed,
  whichOutlive,
} from "./support/processes.ts";
import { share } from "./support/share.ts";
import { useAll } from "./support/use_all.ts";

const NO_PROC = Deno.build.os !== "linux" && "needs /proc to find processes";
if (NO_PROC) log(`skipped: what an embedded server leaves: ${NO_PROC}`);

/** Where clients believe the server to be. */
const MCP = "https://mcp.example.com/any/path";

function create(options: ServerOptions = {}): Promise<Server> {
  return createServer({
    cacheDir: CACHE,
    allowedHosts: ["mcp.example.com"],
    ...options,
  });
}

/** The server of the tests that change nothing of it. */
const shared = share(create);

/** The official client, whose requests the program hands to the server. */
function connect(
  { fetch }: Server,
  era: Era,
  options?: FetchOptions,
): Promise<TestClient> {
  return connectBy(
    new StreamableHTTPClientTransport(new URL(MCP), {
      fetch: (url, init) => fetch(new Request(url, init), options),
    }),
    era,
  );
}

async function statusOf(
  server: Server,
  init: RequestInit,
  options?: FetchOptions,
): Promise<number> {
  const { status, body } = await server.fetch(new Request(MCP, init), options);
  await body?.cancel();
  return status;
}

Deno.test("createServer(): clients of both eras list tools, run, hear progress, cancel and keep sessions", async () => {
  const server = await shared();
  for (const era of ERAS) {
    await using client = await connect(server, era, { caller: era });
    await useAll(client);
  }
});

Deno.test("createServer(): a caller is the one that the program names, and no other", async () => {
  const server = await shared();
  await using ada = await connect(server, "2026-07-28", { caller: "ada, é" });
  const made = await ada.call("x = 7", { session: "new" });
  const { session } = made.structured;
  await using again = await connect(server, "2025-11-25", { caller: "ada, é" });
  assertEquals((await again.call("x", { session })).returnValue, 7);
  const others: FetchOptions[] = [{}, { caller: "ada" }, { caller: "@any" }];
  for (const options of others) {
    await using other = await connect(server, "2026-07-28", options);
    assert((await other.call("x", { session })).status !== "success");
    const { structuredContent } = await other.client
      .callTool({ name: "list_sessions" });
    assertEquals(structuredContent, { sessions: [] });
  }
  await using any = await connect(server, "2026-07-28");
  const { structured } = await any.call("1", { session: "new" });
  await using like = await connect(server, "2026-07-28", { caller: "@any" });
  const { status } = await like.call("1", { session: structured.session });
  assert(status !== "success");
  const { headers, ...call } = postCall("1");
  const forged = {
    ...call,
    headers: {
      ...{ ...headers, "x-caller": "ada%2C%20%C3%A9", cookie: "a=b" },
      ...{
        authorization: "Bearer of-another-server",
        "x-forwarded-for": "::1",
      },
    },
  };
  assertEquals(await statusOf(server, forged, { caller: "grace" }), 200);
  assertEquals(
    await statusOf(server, forged, { caller: "x".repeat(201) }),
    403,
  );
  const wrong: unknown[] = [undefined, null, "", 7, "\ud800"];
  for (const caller of wrong) {
    const options: object = { caller };
    await assertRejects(statusOf(server, forged, options), /must be a text/);
  }
});

Deno.test("createServer(): pages, hosts and bodies have the walls of the command", async () => {
  const APP = "https://app.example.com";
  await using server = await create({
    allowedOrigins: [APP],
  });
  const call = postCall("1");
  const ask = (headers: Record<string, string>, url = MCP) =>
    server.fetch(
      new Request(url, { ...call, headers: { ...call.headers, ...headers } }),
    );
  const told = async (answer: Promise<Response>) => {
    const { status, headers, body } = await answer;
    await body?.cancel();
    return [status, headers.get("access-control-allow-origin")];
  };
  assertEquals(await told(ask({}, "http://evil.example/mcp")), [403, null]);
  assertEquals(await told(ask({ origin: "https://evil.example" })), [
    403,
    null,
  ]);
  assertEquals(await told(ask({ "sec-fetch-site": "cross-site" })), [
    403,
    null,
  ]);
  assertEquals(await told(ask({ origin: APP })), [200, APP]);
  assertEquals(await told(ask({ origin: "https://mcp.example.com" })), [
    ...[200, null],
  ]);
  assertEquals(await told(ask({}, "http://127.0.0.1:8000/mcp")), [200, null]);
  const preflight = await server.fetch(
    new Request(MCP, {
      method: "OPTIONS",
      headers: { origin: APP, "access-control-request-method": "POST" },
    }),
  );
  assertEquals(await told(Promise.resolve(preflight)), [204, APP]);
  const body = new Uint8Array(16 * 1024 * 1024 + 1);
  assertEquals(await statusOf(server, { ...call, body }), 413);
  assertEquals(await statusOf(server, call), 200);
});

Deno.test({
  name:
    "createServer(): the server starts again after its end, has no secret on its command line, and leaves nothing",
  ignore: Boolean(NO_PROC),
  async fn() {
    const before = descendants(Deno.pid);
    const logs: string[] = [];
    const server = await create({ onLog: (line) => void logs.push(line) });
    const family = () =>
      descendants(Deno.pid).filter((pid) => !before.includes(pid));
    // Servers of other tests may start processes meanwhile.
    const [launcher = 0] = family()
      .filter((pid) => commandLine(pid).includes("--caller-header"));
    assert(launcher > 0);
    assert(!/[\da-f]{8}-[\da-f]{4}-/.test(commandLine(launcher)));
    // Ctrl-C in a terminal reaches it, too; the program may go on.
    Deno.kill(launcher, "SIGINT");
    const under = server.fetch(new Request(MCP, postCall("while True: pass")));
    const [process = 0] = processesNamed("server", launcher);
    const running = under.then(async ({ status, body }) => {
      const reader = body?.getReader();
      // The stream of the answer begins before its end.
      const read = async (): Promise<string> =>
        (await reader?.read())?.done === false ? await read() : "whole";
      return [status, await read().catch(() => "broken")];
    });
    Deno.kill(process, "SIGKILL");
    assert([`503,whole`, "200,broken"].includes(`${await running}`));
    let status = 503;
    while (status === 503) status = await statusOf(server, INITIALIZE);
    assertEquals(status, 200);
    const now = family();
    assert(!now.includes(launcher) && now.length > 0);
    await using client = await connect(server, "2026-07-28");
    assertEquals((await client.call("6 * 7")).returnValue, 42);
    await server.close();
    await server.close();
    assertEquals(await whichOutlive([...now, ...family()]), []);
    assertEquals(await statusOf(server, postCall("1")), 503);
  },
});

Deno.test("createServer() refuses wrong options by name, and a start that fails says why", async () => {
  const wrong: Record<string, unknown> = { tiemout: 5 };
  await assertRejects(create(wrong), /no option "tiemout"/);
  await assertRejects(
    create({ allowedHosts: ["https://mcp.example.com"] }),
    /^SandboxError: Cannot use .*for allowedHosts/,
  );
});
