/**
 * The permission table against real processes: their flags are read from the
 * running command, and every kind of permission is tried with just these.
 *
 * @module
 */
import { assert, assertEquals } from "../deps/assert.ts";
import { fileURLToPath } from "node:url";
import {
  GRANTED,
  PERMISSION_KINDS,
  PERMISSIONS,
  type ProcessName,
  type Scope,
} from "../src/grants/permissions.ts";
import { log } from "../src/log.ts";
import { placesFor } from "../src/launch/places.ts";
import { spawnFlags } from "../src/launch/spawn.ts";
import { descendants } from "./support/processes.ts";
import type { Probed } from "./support/probe.ts";
import { tempFolder } from "./support/folder.ts";
import { startServer } from "./support/server.ts";

const PROBE = fileURLToPath(import.meta.resolve("./support/probe.ts"));
const NO_PROC = Deno.build.os !== "linux" &&
  "needs /proc to read the flags of a process";
if (NO_PROC) log(`skipped: permission table: ${NO_PROC}`);

/** What each kind of permission is tried with. */
const TRIES: Record<string, string[]> = {
  read: ["read", "node"],
  write: ["write"],
  net: ["net", "fetch"],
  run: ["run"],
  env: ["env"],
  sys: ["sys"],
  ffi: ["ffi"],
  import: ["import"],
};

const HOSTS = ["example.com:443", "127.0.0.1:9"];

for (const hosts of [[], HOSTS]) {
  const what = hosts.length > 0 ? " and what is granted" : "";
  Deno.test({
    name:
      `server and sandbox have the flags of the table${what}, and no more than it`,
    ignore: Boolean(NO_PROC),
    async fn() {
      await using server = await startServer(
        hosts.flatMap((host) => ["--allow-net", host]),
      );
      await server.call("1");
      const running = descendants(server.pid).map(commandLine);
      for (const name of ["server", "sandbox"] as const) {
        const args = running.find((args) =>
          args.some((arg) => arg.endsWith(`/src/${name}/main.ts`))
        );
        assert(args, `no ${name} among ${JSON.stringify(running)}`);
        const flags = args.slice(2).filter((arg) => arg.startsWith("--"));
        assertEquals(
          flags.filter((flag) => flag.startsWith("--allow")).map((flag) =>
            flag.split("=")[0]
          ),
          flagsOf(name, hosts.length > 0 ? ["hosts"] : []),
        );
        await assertRefused(name, flags, {});
      }
    },
  });
}

/** Flags that a process has if no more than this is granted. */
function flagsOf(name: ProcessName, granted: Scope[]): string[] {
  return Object.entries(PERMISSIONS[name])
    .filter(([, scopes]) =>
      scopes.some((scope) =>
        !GRANTED.includes(scope) || granted.includes(scope)
      )
    )
    .map(([kind]) => `--allow-${kind}`);
}

Deno.test({
  name: "a sandbox with mounts may read these, and write the writable",
  ignore: Boolean(NO_PROC),
  async fn() {
    await using folder = await tempFolder();
    const [ro, rw] = await folder.make("ro", "rw");
    await using server = await startServer([
      ...["--mount", ro, "--mount", `${rw}:rw`],
    ]);
    await server.call("1");
    const args = descendants(server.pid).map(commandLine).find((args) =>
      args.some((arg) => arg.endsWith("/src/sandbox/main.ts"))
    );
    assert(args);
    const read = args.find((arg) => arg.startsWith("--allow-read="));
    assertEquals(read?.split(",").slice(-2), [ro, rw]);
    assert(args.includes(`--allow-write=${rw}`));
    const flags = args.slice(2).filter((arg) => arg.startsWith("--"));
    await assertRefused("sandbox", flags, {});
  },
});

for (const name of ["installer", "offlineInstaller"] as const) {
  const network = name === "installer" ? "" : "use the network, ";
  Deno.test(`the ${name} may not ${network}run, read the environment or load libraries`, async () => {
    const cache = await Deno.makeTempDir();
    const flags = spawnFlags(
      name,
      placesFor(cache, `${cache}/one`, "/pyodide"),
    );
    await assertRefused(name, flags, {});
    await Deno.remove(cache);
  });
}

Deno.test("a Python worker may do nothing, whatever its process may", async () => {
  const flags = ["--unstable-worker-options", "--allow-all"];
  await assertRefused("worker", flags, { worker: true });
});

Deno.test("the broker gives up all but starting processes", async () => {
  await assertRefused("broker", ["--allow-all", "--no-prompt"], { drop: true });
});

async function assertRefused(
  name: ProcessName,
  flags: string[],
  order: { worker?: boolean; drop?: boolean },
): Promise<void> {
  await using listener = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response(),
  );
  const probed = await probe(flags, { ...order, port: listener.addr.port });
  const may = PERMISSIONS[name];
  for (const kind of PERMISSION_KINDS) {
    // A scope other than "any" allows none of the places that are tried.
    const expected = may[kind]?.includes("any") ?? false;
    for (const attempt of TRIES[kind] ?? []) {
      assertEquals(probed[attempt], expected, `${name}: ${attempt}`);
    }
  }
}

async function probe(flags: string[], order: unknown): Promise<Probed> {
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", ...flags, PROBE, JSON.stringify(order)],
    env: { NO_COLOR: "1" },
  }).output();
  const text = new TextDecoder().decode(stdout);
  assert(text !== "", new TextDecoder().decode(stderr));
  return JSON.parse(text);
}

function commandLine(pid: number): string[] {
  return Deno.readTextFileSync(`/proc/${pid}/cmdline`).split("\0").slice(0, -1);
}
