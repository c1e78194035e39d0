import { CLI } from "./command.ts";
import { type Era, startServer, type TestServer } from "./server.ts";

/** By options; the tests of a file have a process of their own. */
const shared = new Map<string, Promise<TestServer>>();

/**
 * Gives a server that all tests of a file with the same options share, as each
 * run has a fresh interpreter; it ends after the file's last test.
 *
 * A test that ends, counts or stops processes starts a server of its own with
 * `startServer()`.
 */
export function shareServer(
  args: string[] = [],
  era: Era = "2025-11-25",
  cli: string = CLI,
): Promise<TestServer> {
  const key = JSON.stringify([args, era, cli]);
  const known = shared.get(key);
  if (known) return known;
  const started = startServer(args, era, cli);
  shared.set(key, started);
  return started;
}

const sessions = new Map<TestServer, Promise<string>>();

/**
 * Names a server's session for runs that leave nothing to each other: with another
 * Pyodide, or with packages, a fresh interpreter costs more than most of them.
 */
export async function shareSession(
  server: TestServer,
): Promise<{ session: string }> {
  const session = sessions.get(server) ?? openSession(server);
  sessions.set(server, session);
  return { session: await session };
}

async function openSession({ call }: TestServer): Promise<string> {
  const { structured } = await call("None", { session: "new" });
  return String(structured.session);
}

Deno.test.afterAll(async () => {
  const servers = await Promise.all(shared.values());
  await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
});
