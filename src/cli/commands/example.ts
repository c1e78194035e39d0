import type { InstalledPackage } from "../../requirements/installed_package.ts";
import { EXIT } from "../../errors.ts";
import { openPrepared } from "../../launcher/python.ts";
import { prepare } from "../../launcher/prepare.ts";
import { print } from "../../log.ts";
import type { Settings } from "../../settings.ts";
import { withProgress } from "../install_progress.ts";
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
  const started = performance.now();
  const { result, text = "" } = await python.client.run({
    type: "run",
    code: script,
    asText: true,
  });
  const elapsed = Math.round(performance.now() - started);
  print(`What came back, after ${elapsed} ms:\n\n${indent(text)}\n`);
  return result.status === "success" ? EXIT.ok : EXIT.failure;
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
