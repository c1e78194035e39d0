import { Client } from "../../../deps/mcp_client.ts";
import type { InstalledPackage } from "../../requirements/installed_package.ts";
import { EXIT } from "../../errors.ts";
import { openPrepared } from "../../launcher/python.ts";
import { prepare } from "../../launcher/prepare.ts";
import { print } from "../../log.ts";
import type { Settings } from "../../settings.ts";
import { withProgress } from "../install_progress.ts";
import { VERSION } from "../../version.ts";
import numpy from "./example/numpy.py" with { type: "text" };
import pydantic from "./example/pydantic.py" with { type: "text" };
import rich from "./example/rich.py" with { type: "text" };
import stdlib from "./example/stdlib.py" with { type: "text" };

/** Scripts that show a package; the example only imports other packages. */
const SCRIPTS: Record<string, string> = { numpy, pydantic, rich };

/** Installs packages, and runs a script with them through the whole server. */
export async function example(settings: Settings): Promise<number> {
  const prepared = await prepare(settings, withProgress);
  const { packages, requested } = prepared.environment;
  const script = compose(
    packages.filter(({ name }) => requested.includes(name)),
  );
  print(`The code:\n\n${indent(script)}\n\n`);
  await using python = openPrepared(prepared);
  const client = new Client({
    name: "mcp-run-python example",
    version: VERSION,
  });
  await client.connect(python.connect());
  const started = performance.now();
  const result = await client.callTool({
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

function compose(packages: InstalledPackage[]): string {
  const names = packages.map(({ name }) => name);
  const shown = Object.keys(SCRIPTS).filter((name) => names.includes(name));
  const others = packages.filter(({ name }) => !shown.includes(name))
    .flatMap(({ imports: [first] }) => first ? [`import ${first}`] : []);
  return [
    ...others,
    "results = {}",
    "",
    stdlib,
    ...shown.map((name) => SCRIPTS[name]),
    "results",
  ].join("\n");
}

function indent(text: string): string {
  return text.trim().replaceAll(/^(?=.)/gm, "  ");
}
