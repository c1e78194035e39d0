/**
 * Clients that end their server without a word, as short programs with fastmcp do:
 * its session is in the store.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { assertEquals, assertMatch } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { readLines } from "../src/protocol/lines.ts";
import { COMMAND_LINE } from "./support/command.ts";
import { namesIn, tempFolder } from "./support/folder.ts";
import { killFamily } from "./support/processes.ts";
import {
  getPythonPackages,
  PYTHON_CLIENTS,
} from "./support/python_packages.ts";

const CLIENT = fileURLToPath(import.meta.resolve("./stories/hasty_client.py"));
const fastmcp = await getPythonPackages(...PYTHON_CLIENTS.mcp2);
const NO_FASTMCP = "reason" in fastmcp && fastmcp.reason;
if (NO_FASTMCP) log(`skipped: the hasty client: ${NO_FASTMCP}`);
const NO_PROC = Deno.build.os !== "linux" && "needs /proc to find processes";
if (NO_PROC) log(`skipped: the killed client: ${NO_PROC}`);

Deno.test({
  name:
    "a session of fastmcp's client goes on after its program has ended, and after all was killed",
  ignore: Boolean(NO_FASTMCP || NO_PROC),
  async fn() {
    await using folder = await tempFolder();
    const store = folder.path;
    const opened = await startClient(store, "new", "x = 1");
    const { session } = opened.told;
    await opened.ended();
    const [before = ""] = (await namesIn(store)).filter(isSession);
    const changedAt = async () =>
      (await Deno.stat(`${store}/${before}`)).mtime?.getTime();
    // Its first state is there: the second one takes its place.
    const first = await changedAt();
    const next = await startClient(store, session, "x += 1; x", "stays");
    assertEquals(next.told.return_value, 2);
    while (await changedAt() === first) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    killFamily(next.pid);
    await next.ended();
    // The sign of life of the killed server is trusted for some seconds.
    const last = await startClient(store, session, "x += 1; x", "tries");
    assertEquals(last.told.return_value, 3);
    assertEquals(last.told.resumed, undefined);
    await last.ended();
  },
});

function isSession(name: string): boolean {
  return name.includes(".sessions.") && name.endsWith(".value");
}

/**
 * Starts a program that calls the tool once, or until the session is not busy.
 *
 * @param how Whether it stays after its call.
 */
async function startClient(
  store: string,
  session: string,
  code: string,
  how: "ends" | "stays" | "tries" = "ends",
) {
  if ("reason" in fastmcp) throw new Error(fastmcp.reason);
  const child = new Deno.Command(fastmcp.python, {
    args: [
      ...[CLIENT, how, session, code, ...COMMAND_LINE],
      ...["--session-store", store, "stdio"],
    ],
    env: {
      PYTHONPATH: fastmcp.folder,
      PYTHONPYCACHEPREFIX: `${fastmcp.folder}/pycache`,
    },
    ...{ stdin: "piped", stdout: "piped", stderr: "piped" },
  }).spawn();
  const stderr = new Response(child.stderr).text();
  const lines = readLines(child.stdout, 1 << 20);
  const { value } = await lines.next();
  if (!value) throw new Error(`The client has ended: ${await stderr}`);
  const told = JSON.parse(new TextDecoder().decode(value));
  assertMatch(told.status, /^success$/, JSON.stringify(told));
  return {
    told,
    pid: child.pid,
    async ended() {
      await lines.return(undefined);
      await child.stdout.cancel().catch(() => {});
      await child.stdin.close().catch(() => {});
      await child.status;
      await stderr;
    },
  };
}
