import { fileURLToPath } from "node:url";
import { Client, StdioClientTransport } from "../../deps/mcp_client.ts";
import { EXIT } from "../errors.ts";
import type { InstalledPackage } from "../install/environment.ts";
import { ensureEnvironment } from "../install/install.ts";
import { print } from "../log.ts";
import type { Settings } from "../settings.ts";
import { withProgress } from "./progress.ts";
import { VERSION } from "../version.ts";
import numpy from "./example/numpy.py" with { type: "text" };
import pydantic from "./example/pydantic.py" with { type: "text" };
import rich from "./example/rich.py" with { type: "text" };
import stdlib from "./example/stdlib.py" with { type: "text" };

/** What to show of a package; of others, that they can be imported. */
const SCRIPTS: Record<string, string> = { numpy, pydantic, rich };

/**
 * Sanity check: installs what is asked for, and runs a script with it through
 * the whole server, as a client would.
 */
export async function example(settings: Settings): Promise<number> {
  using environment = await withProgress((report) =>
    ensureEnvironment(settings, report)
  );
  const { packages } = environment;
  const script = compose(toRequested(packages, settings.dependencies));
  print(`The code:\n\n${indent(script)}\n\n`);
  await using server = await connect(settings);
  const started = performance.now();
  const result = await server.client.callTool({
    name: "run_python_code",
    arguments: { python_code: script },
  });
  const elapsed = Math.round(performance.now() - started);
  const text = result.content.map((part) =>
    part.type === "text" ? part.text : part.type
  ).join("\n");
  print(`What came back, after ${elapsed} ms:\n\n${indent(text)}\n`);
  return result.isError ? EXIT.failure : EXIT.ok;
}

/** Leaves out what is there only because another needs it. */
function toRequested(
  packages: InstalledPackage[],
  requirements: string[],
): InstalledPackage[] {
  const names = requirements.map((requirement) =>
    // As on an index (PEP 503), which is how packages are named here.
    requirement.replace(/[^\w.-].*/s, "").replace(/[-_.]+/g, "-").toLowerCase()
  );
  return packages.filter(({ name }) => names.includes(name));
}

function compose(packages: InstalledPackage[]): string {
  const names = packages.map(({ name }) => name);
  const shown = Object.keys(SCRIPTS).filter((name) => names.includes(name));
  const others = packages.flatMap(({ name, imports }) =>
    shown.includes(name)
      ? []
      : imports.slice(0, 1).map((module) => `import ${module}`)
  );
  return [
    ...others,
    "results = {}",
    "",
    stdlib,
    ...shown.map((name) => SCRIPTS[name]),
    "results",
  ].join("\n");
}

async function connect(
  settings: Settings,
): Promise<{ client: Client } & AsyncDisposable> {
  const client = new Client({
    name: "mcp-run-python example",
    version: VERSION,
  });
  const transport = new StdioClientTransport({
    command: Deno.execPath(),
    args: [
      ...["run", "-A", fileURLToPath(import.meta.resolve("../../cli.ts"))],
      ...toFlags(settings),
      "stdio",
    ],
    env: Deno.env.toObject(),
  });
  await client.connect(transport);
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

/** The options that give these settings again, whatever variables say. */
function toFlags(settings: Settings): string[] {
  const { dependencies, indexUrl, offline, verbose } = settings;
  return [
    ...dependencies.flatMap((name) => ["--deps", name]),
    `--return-mode=${settings.returnMode}`,
    `--timeout=${settings.timeoutSeconds}`,
    `--max-timeout=${settings.maxTimeoutSeconds}`,
    `--memory=${settings.memoryMiB}`,
    `--cache-dir=${settings.cacheDir}`,
    ...(indexUrl ? [`--index-url=${indexUrl}`] : []),
    ...(offline ? ["--offline"] : []),
    ...(verbose ? ["--verbose"] : []),
  ];
}

function indent(text: string): string {
  return text.trim().replaceAll(/^(?=.)/gm, "  ");
}
