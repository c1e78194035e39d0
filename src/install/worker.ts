/**
 * The workers of phase 1: one makes the base snapshot, one resolves and
 * unpacks. Neither has a permission, and neither executes a package.
 *
 * @module
 */
import { firstMessage, lastWords } from "../sandbox/engines/pyodide/doors.ts";
import { boot } from "../sandbox/engines/pyodide/boot.ts";
import { sitePackages } from "../sandbox/engines/pyodide/packages.ts";
import type { FromInstallWorker, InstallJob, ResolverJob } from "./messages.ts";
import type { PyodideInterface } from "../../deps/pyodide.ts";

// The host is trusted, and nothing else can have sent this.
const { port, job, ...files } = await firstMessage as InstallJob;
const post = port.postMessage.bind(port) as (
  message: FromInstallWorker,
) => void;

const fetchThroughHost = connectFetch();
try {
  if (job.type === "snapshot") {
    post(makeSnapshot(await boot(files, true), job.runner));
  } else {
    post(await resolve(await boot(files), job));
  }
} catch (error) {
  post({ type: "broken", reason: `${error} ${lastWords.text}`.trim() });
}

function makeSnapshot(
  python: PyodideInterface,
  runner: Record<string, string>,
): FromInstallWorker {
  const folder = `${sitePackages(python)}/mcp_runner`;
  python.FS.mkdirTree(folder);
  for (const [name, source] of Object.entries(runner)) {
    python.FS.writeFile(`${folder}/${name}`, source);
  }
  python.runPython("import importlib; importlib.invalidate_caches()");
  python.pyimport("mcp_runner.runner");
  const version: string = python.runPython(
    "import platform; platform.python_version()",
  );
  return { type: "snapshot", bytes: python.makeMemorySnapshot(), version };
}

async function resolve(
  python: PyodideInterface,
  job: ResolverJob,
): Promise<FromInstallWorker> {
  python.unpackArchive(job.micropip, "wheel", {
    extractDir: sitePackages(python),
  });
  for (const [name, source] of Object.entries(job.modules)) {
    python.FS.writeFile(`${sitePackages(python)}/${name}`, source);
  }
  python.runPython("import importlib; importlib.invalidate_caches()");
  const { connect, install, probe } = python.pyimport("resolver");
  connect(fetchThroughHost, files.lockFile, job.indexUrl);
  if (job.type === "probe") return { type: "probed", sources: await probe() };
  const [report, wheels, installed] = await install(
    JSON.stringify(job.requirements),
  );
  return { type: "installed", report, wheels, files: installed };
}

/** The only way out: the host fetches, and answers by number. */
function connectFetch(): (url: string, headers: string) => Promise<unknown> {
  const asked: ((answer: unknown) => void)[] = [];
  port.onmessage = ({ data }: MessageEvent<{ id: number; answer: unknown }>) =>
    asked[data.id]?.(data.answer);
  return (url, headers) => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const id = asked.push(resolve) - 1;
    post({ type: "fetch", id, url, headers: JSON.parse(headers) });
    return promise;
  };
}
