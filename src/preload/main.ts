/**
 * The preloader process: packages are imported for the first time, by a worker
 * without permissions. It reads what a sandbox process reads, writes nothing, and
 * hands the snapshot to the installer.
 *
 * @module
 */
import { join } from "node:path";
import {
  readEnvironment,
  readRuntime,
} from "../sandbox/engines/pyodide/files.ts";
import { RUNTIME_FILES } from "../sandbox/engines/pyodide/versions.ts";
import { runnerFor } from "../sandbox/runner/sources.ts";
import type { PreloadAnswer, PreloadOrder } from "./messages.ts";
import { preload } from "./preload.ts";

// Whoever started this process is gone when its stdin ends.
Deno.stdin.readable.pipeTo(new WritableStream()).finally(() => Deno.exit(1));
// Written by the launcher, from what the installer asks for.
const order: PreloadOrder = JSON.parse(Deno.args[0] ?? "");
const { folder } = order.runtime;
const [runtime, environment, lock] = await Promise.all([
  readRuntime(order.runtime),
  readEnvironment(order.environment),
  Deno.readTextFile(join(folder, RUNTIME_FILES.lock)),
]);
const { preloaded, made } = await preload({
  runtime,
  environment,
  runner: runnerFor(lock),
}, order.modules);
const answer: PreloadAnswer = { preloaded };
if (made) {
  const { snapshot: { bytes: _, ...places }, libraries, folders } = made;
  answer.index = { ...places, libraries, folders };
}
const stdout = Deno.stdout.writable.getWriter();
await stdout.write(new TextEncoder().encode(`${JSON.stringify(answer)}\n`));
if (made) await stdout.write(new Uint8Array(made.snapshot.bytes));
Deno.exit(0);
