/**
 * Tries every kind of permission for real, and prints what came of each: run it
 * with the flags of a process to learn what that process may do.
 *
 * Its argument is JSON: `port` of a listener on loopback, `worker` to try from
 * inside a worker, `drop` to give permissions up as the broker does.
 *
 * @module
 */
import { print } from "../../src/log.ts";
import { dropPermissions } from "../../src/launch/drop.ts";

/** What came of each try: true if it was allowed. */
export type Probed = Record<string, boolean>;

interface Order {
  port: number;
  worker?: boolean;
  drop?: boolean;
}

const inWorker = "postMessage" in globalThis &&
  "WorkerGlobalScope" in globalThis;

if (inWorker) {
  addEventListener("message", async (event) => {
    const reply: (probed: Probed) => void = Reflect.get(self, "postMessage");
    reply(await probe(Reflect.get(event, "data")));
  });
} else if (import.meta.main) {
  const order: Order = JSON.parse(Deno.args[0] ?? "");
  if (order.drop) await dropPermissions();
  const probed = order.worker ? await probeInWorker(order) : await probe(order);
  print(JSON.stringify(probed));
  Deno.exit(0);
}

function probeInWorker(order: Order): Promise<Probed> {
  const worker = new Worker(import.meta.url, {
    type: "module",
    deno: { permissions: "none" },
  });
  worker.postMessage(order);
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => reject(new Error(event.message));
  });
}

async function probe({ port }: Order): Promise<Probed> {
  const file = "/tmp/mcp-run-python-probe";
  return {
    read: await allowed(() => Deno.readTextFile("/etc/hostname")),
    write: await allowed(async () => {
      await Deno.writeTextFile(file, "");
      await Deno.remove(file);
    }),
    net: await allowed(async () => {
      (await Deno.connect({ port, hostname: "127.0.0.1" })).close();
    }),
    fetch: await allowed(() => fetch(`http://127.0.0.1:${port}/`)),
    run: await allowed(() => new Deno.Command("true").output()),
    env: await allowed(() => Deno.env.get("HOME")),
    sys: await allowed(() => Deno.hostname()),
    ffi: await allowed(() => Deno.dlopen("libm.so.6", {})),
    import: await allowed(() => import(`http://127.0.0.1:${port}/mod.ts`)),
    node: await allowed(async () => {
      const { readFileSync } = await import("node:fs");
      readFileSync("/etc/hostname");
    }),
  };
}

/** Only a refusal counts as one: what fails otherwise was allowed to be tried. */
async function allowed(attempt: () => unknown): Promise<boolean> {
  try {
    await attempt();
    return true;
  } catch (error) {
    const words = String(error);
    return !/NotCapable|Requires \w+ access|--cached-only/.test(words);
  }
}
