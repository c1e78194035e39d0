// A process with the flags of a sandbox process: starts a worker as engines do, and
// prints what that may do. Its arguments are the worker's places, and paths to try.
import { startWorker, toOwnReads } from "../../src/grants/start_worker.ts";
import { print } from "../../src/log.ts";

const places = JSON.parse(Deno.args[0] ?? "");
const paths: string[] = JSON.parse(Deno.args[1] ?? "");
const worker = startWorker(new URL("./denied_worker.ts", import.meta.url), {
  mounts: places.mounts,
  writableMounts: places.writableMounts,
  deniedReads: places.deniedReads,
  deniedWrites: places.deniedWrites,
});
const { port1, port2: port } = new MessageChannel();
port1.onmessage = ({ data }) => {
  print(JSON.stringify(data));
  Deno.exit();
};
worker.postMessage({ ownReads: toOwnReads(places), paths, port }, [port]);
