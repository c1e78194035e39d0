import { fileURLToPath } from "node:url";
import { Client, StdioClientTransport } from "../../../deps/mcp_client.ts";
import { canonicalName } from "../../requirements/canonical_name.ts";
import type { InstalledPackage } from "../../requirements/installed_package.ts";
import { EXIT } from "../../errors.ts";
import { ensureEnvironment } from "../../launcher/installing/install.ts";
import { print } from "../../log.ts";
import type { Settings } from "../../settings.ts";
import { withProgress } from "../install_progress.ts";
import { VERSION } from "../../version.ts";
import { toCommandLine } from "../command_line.ts";
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
export function toRequested(
  packages: InstalledPackage[],
  requirements: string[],
): InstalledPackage[] {
  const names = requirements.map((requirement) =>
    canonicalName(requirement.replace(/[^\w.-].*/s, ""))
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
  const { args, env } = toCommandLine(settings, Deno.env.toObject());
  const transport = new StdioClientTransport({
    command: Deno.execPath(),
    args: [
      ...["run", "-A", fileURLToPath(import.meta.resolve("../../../cli.ts"))],
      ...args,
      "stdio",
    ],
    env,
  });
  await client.connect(transport);
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

function indent(text: string): string {
  return text.trim().replaceAll(/^(?=.)/gm, "  ");
}
