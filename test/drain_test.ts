/**
 * A server of HTTP that is told to end behind a load balancer.
 *
 * @module
 */
import { assertEquals } from "../deps/assert.ts";
import { startHttp } from "./support/http_server.ts";
import { tempFolder } from "./support/folder.ts";
import { withEnd } from "./support/with_end.ts";
import type { HttpServer } from "./support/http_server.ts";

const ignore = Deno.build.os === "windows";

async function isReady(server: HttpServer): Promise<unknown> {
  const response = await server.fetch({}, "/readyz");
  return [response.status, (await response.json()).state];
}

/** Waits until probes say that it ends. */
async function untilDrained(server: HttpServer): Promise<void> {
  while (`${await isReady(server)}` !== "503,ending");
}

Deno.test({
  name:
    "a server with --drain-wait answers 503 at /readyz, and calls from new connections, until a second signal",
  ignore,
  fn: withEnd(async () => {
    await using folder = await tempFolder();
    const store = ["--session-store", folder.path];
    let session = "";
    {
      // Longer than a test: the second signal alone ends the wait.
      await using server = await startHttp([
        ...["--drain-wait", "3600", "--shutdown-wait", "3600", ...store],
      ]);
      Deno.kill(server.pid, "SIGTERM");
      await untilDrained(server);
      {
        await using client = await server.connect();
        const opened = await client.call("x = 42", { session: "new" });
        session = `${opened.structured.session}`;
        // A call that has begun when the wait ends is cancelled, as it hurries.
        const started = Promise.withResolvers<void>();
        const endless = client.call(
          "print('on', flush=True)\nwhile True: pass",
          {},
          { onprogress: started.resolve },
        );
        await started.promise;
        Deno.kill(server.pid, "SIGTERM");
        assertEquals((await endless)?.status, "cancelled");
      }
      const { code, stderr } = await server.ended;
      assertEquals([code, stderr], [0, ""]);
    }
    await using server = await startHttp(store);
    await using client = await server.connect();
    assertEquals((await client.call("x", { session })).returnValue, 42);
  }),
});

Deno.test({
  name: "a server ends by itself after --drain-wait",
  ignore,
  async fn() {
    await using server = await startHttp(["--drain-wait", "1"]);
    Deno.kill(server.pid, "SIGTERM");
    await untilDrained(server);
    const { code, stderr } = await server.ended;
    assertEquals([code, stderr], [0, ""]);
  },
});
