import {
  EXIT,
  messageOf,
  unhintedMessageOf,
  usageError,
  UserError,
} from "../../errors.ts";
import { toStub } from "../../catalog/describe_tool.ts";
import { toAliases } from "../../catalog/identifiers.ts";
import { explainGrants } from "../../grants/policy_file/explain.ts";
import { askServer, askTools } from "../../launcher/downstream/ask_server.ts";
import {
  componentWarnings,
  openConfigurations,
} from "../../launcher/downstream/configurations.ts";
import { thisSystem } from "../../launcher/downstream/system.ts";
import { findComponentPlace } from "../../launcher/components/start_component.ts";
import { log, print, printable } from "../../log.ts";
import {
  maybeWasm,
  type ServerEntry,
  type WasmEntry,
} from "../../protocol/downstream.ts";
import { masksOf } from "../../protocol/masks.ts";
import type { Settings } from "../../settings.ts";
import type { ComponentsOrder } from "../arguments.ts";
import { didYouMean } from "../../did_you_mean.ts";
import { toCount, toTable } from "../sizes.ts";

type Component = ServerEntry & WasmEntry;

/**
 * Lists the components of the options, shows what one offers and may use, or calls one
 * of its functions; 1 if a component fails.
 *
 * @throws {UserError} If there is no component, or none of the name.
 */
export async function components(
  settings: Settings,
  { action, words }: ComponentsOrder,
): Promise<number> {
  const { startTimeoutSeconds, maxHostCallSize: maxResult } = settings;
  const startMs = startTimeoutSeconds * 1000;
  const limits = { startMs, maxResult };
  const found = findComponents(settings);
  const place = await findComponentPlace(settings);
  const tell = (lines: readonly string[]) =>
    print(lines.map((line) => `${printable(line)}\n`).join(""));
  switch (action) {
    case "list":
      return await list();
    case "inspect":
      return await inspect(pick(words[0], found));
    case "call": {
      // With one component, its name may be left out.
      const isNamed = found.some(({ name }) => name === words[0]);
      const hasName = isNamed || found.length > 1;
      const entry = pick(hasName ? words[0] : undefined, found);
      const [tool, ...rest] = words.slice(hasName ? 1 : 0);
      return await call(entry, tool, rest);
    }
  }

  async function list(): Promise<number> {
    const rows: string[][] = [];
    let hasFailed = false;
    for (const entry of found) {
      const state = await askTools(entry, limits, place).then(
        ({ tools }) => toCount(tools.length, "function"),
        (error) => {
          hasFailed = true;
          return `fails: ${explain(entry, error)}`;
        },
      );
      const { name, file, sha256, policy = "nothing granted" } = entry;
      rows.push([name, state, sha256.slice(0, 12), policy, file]);
    }
    tell(toTable([["name", "state", "sha256", "policy", "file"], ...rows]));
    return hasFailed ? EXIT.failure : EXIT.ok;
  }

  async function inspect(entry: Component): Promise<number> {
    const { name, file, sha256, grants } = entry;
    try {
      const { server, tools } = await askTools(entry, limits, place);
      const aliases = toAliases(tools.map((tool) => tool.name));
      const stubs = tools.flatMap((tool) => [
        "",
        ...toStub(tool, aliases.get(tool.name) ?? tool.name, "component")
          .split("\n"),
      ]);
      tell([
        `${name}: ${file}`,
        `sha256: ${sha256}`,
        ...server.instructions?.split("\n") ?? [],
        ...explainGrants(grants, name),
        ...stubs,
      ]);
      return EXIT.ok;
    } catch (error) {
      throw new UserError(
        `Cannot inspect the component "${name}": ${explain(entry, error)}`,
      );
    }
  }

  async function call(
    entry: Component,
    tool: string | undefined,
    given: readonly string[],
  ): Promise<number> {
    if (tool === undefined) {
      throw usageError(
        `Cannot call "${entry.name}" without a function, as in: components call ${entry.name} add a=1 b=2. components inspect ${entry.name} shows them.`,
      );
    }
    const args = JSON.stringify(toArguments(given));
    const timeoutMs = settings.hostCallTimeoutSeconds * 1000;
    const request = { type: "call", id: 1, tool, arguments: args, timeoutMs };
    try {
      const said = await askServer(
        ...[entry, { ...request, type: "call" }, limits, place] as const,
      );
      const text = said.type === "result" ? said.result : "{}";
      const { isError, structuredContent, content = [] } = JSON.parse(text);
      if (structuredContent && !isError) {
        const { result } = structuredContent;
        print(`${JSON.stringify(result ?? structuredContent, null, 2)}\n`);
        return EXIT.ok;
      }
      const shown = content.map((block: { text?: string; type: string }) =>
        block.text ?? `[${block.type}]`
      ).join("\n");
      if (isError) throw new Error(shown);
      print(`${shown}\n`);
      return EXIT.ok;
    } catch (error) {
      throw new UserError(
        `Cannot get a result of ${entry.name}.${tool}: ${
          explain(entry, error)
        }`,
      );
    }
  }
}

function explain(entry: ServerEntry, error: unknown): string {
  return masksOf(entry)(unhintedMessageOf(error));
}

/** @throws {UserError} If there is none. */
function findComponents(settings: Settings): Component[] {
  const system = thisSystem();
  const report = openConfigurations(settings, system, { warn: log }).report();
  for (const warning of componentWarnings(report)) log(`warning: ${warning}`);
  const found = report.servers.flatMap(({ entry }) => maybeWasm(entry) ?? []);
  if (found.length > 0) return found;
  throw new UserError(
    "Cannot find a component: name its file, as in: components inspect ./calc.wasm, or with --wasm.",
  );
}

/** @throws {UserError} If no component has the name. */
function pick(
  name: string | undefined,
  found: readonly Component[],
): Component {
  const [only, ...others] = found;
  const picked = name === undefined && others.length === 0
    ? only
    : found.find((one) => one.name === name);
  if (picked) return picked;
  const names = found.map((one) => one.name);
  throw usageError(
    name === undefined
      ? `Cannot choose a component: name one of ${names.join(", ")}.`
      : `Cannot find the component "${name}".${
        didYouMean(name, names) || ` There are ${names.join(", ")}.`
      }`,
  );
}

/** Arguments as a JSON object, or as `name=value`, each value as JSON or as text. */
function toArguments(given: readonly string[]): Record<string, unknown> {
  const [first = "", ...more] = given;
  if (more.length === 0 && first.trimStart().startsWith("{")) {
    try {
      return JSON.parse(first);
    } catch (error) {
      throw usageError(`Cannot read the arguments: ${messageOf(error)}.`);
    }
  }
  return Object.fromEntries(given.map((text) => {
    const [, name, value = ""] = /^([\w-]+)=(.*)$/s.exec(text) ?? [];
    if (name === undefined) {
      throw usageError(
        `Cannot read the argument "${text}": write name=value, or all arguments as one JSON object.`,
      );
    }
    try {
      return [name, JSON.parse(value)];
    } catch {
      return [name, value];
    }
  }));
}
