/**
 * The permission table against real processes: their flags are read from the
 * running command, and every kind of permission is tried with just these.
 *
 * @module
 */
import { assert, assertEquals } from "../deps/assert.ts";
import { fileURLToPath } from "node:url";
import {
  PERMISSION_KINDS,
  PERMISSIONS,
  type ProcessName,
} from "../src/grants/permissions.ts";
import { log } from "../src/log.ts";
import { placesFor } from "../src/launch/places.ts";
import { spawnFlags } from "../src/launch/spawn.ts";
import { descendants } from "./support/processes.ts";
import type { Probed } from "./support/probe.ts";
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

const GRANTED = ["example.com:443", "127.0.0.1:9"];

for (const hosts of [[], GRANTED]) {
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
        const granted = Object.entries(PERMISSIONS[name])
          .filter(([_, scopes]) =>
            scopes.some((scope) => scope !== "hosts" || hosts.length > 0)
          );
        assertEquals(
          flags.filter((flag) => flag.startsWith("--allow")).map((flag) =>
            flag.split("=")[0]
          ),
          granted.map(([kind]) => `--allow-${kind}`),
        );
        await assertRefused(name, flags, {});
      }
    },
  });
}

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
