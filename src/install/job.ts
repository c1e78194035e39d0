import type { BootFiles } from "../sandbox/engines/pyodide/boot.ts";
import { fetchForResolver } from "./fetch.ts";
import type { FromInstallWorker, InstallJob } from "./messages.ts";
import { parseFromInstallWorker } from "./parse.ts";

/** Memory of the interpreter that resolves and unpacks. */
const MEMORY_BYTES = 2 ** 32 - 2 ** 16;

type Answer<Kind extends FromInstallWorker["type"]> = Extract<
  FromInstallWorker,
  { type: Kind }
>;

/**
 * Runs one job in a worker without permissions, and fetches for it.
 *
 * @param kind The answer that ends the job.
 * @param progress Told of each file that was downloaded.
 */
export async function runJob<Kind extends "snapshot" | "installed" | "probed">(
  kind: Kind,
  files: Omit<BootFiles, "memoryBytes">,
  job: InstallJob["job"],
  progress: (text: string) => void = () => {},
): Promise<Answer<Kind>> {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), {
    type: "module",
    deno: { permissions: "none" },
  });
  const { port1, port2 } = new MessageChannel();
  const answer = Promise.withResolvers<Answer<Kind>>();
  worker.onerror = (event) => {
    event.preventDefault();
    answer.reject(new Error(event.message));
  };
  port1.onmessage = async ({ data }) => {
    const message = parseFromInstallWorker(data);
    if (message.type === "fetch") {
      const fetched = await fetchForResolver(message.url, message.headers);
      if ("body" in fetched && fetched.status === 200) {
        maybeReport(message.url, fetched.body, progress);
      }
      port1.postMessage({ id: message.id, answer: fetched });
    } else if (isKind(message, kind)) answer.resolve(message);
    else answer.reject(new Error(reasonOf(message)));
  };
  const start: InstallJob = {
    ...files,
    memoryBytes: MEMORY_BYTES,
    port: port2,
    job,
  };
  worker.postMessage(start, [port2]);
  try {
    return await answer.promise;
  } finally {
    port1.close();
    worker.terminate();
  }
}

function isKind<Kind extends FromInstallWorker["type"]>(
  message: FromInstallWorker,
  kind: Kind,
): message is Answer<Kind> {
  return message.type === kind;
}

function reasonOf(message: FromInstallWorker): string {
  return message.type === "broken"
    ? message.reason
    : `unexpected answer ${message.type}`;
}

function maybeReport(
  url: string,
  body: Uint8Array,
  progress: (text: string) => void,
): void {
  const name = decodeURIComponent(
    new URL(url).pathname.split("/").at(-1) ?? "",
  );
  if (!name.endsWith(".whl")) return;
  progress(`Downloaded ${name} (${Math.ceil(body.length / 1024)} KiB)`);
}
