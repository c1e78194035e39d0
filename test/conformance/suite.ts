import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fields } from "../../src/protocol/fields.ts";
import { tempFolder } from "../support/folder.ts";
import type { Era } from "../support/server.ts";

/**
 * The official suite. It has a lock file of its own, as a first start of the
 * product fetches all packages of the project's.
 */
const SUITE = "npm:@modelcontextprotocol/conformance@0.2.0-alpha.12";
const LOCK = fileURLToPath(import.meta.resolve("./deno.lock"));

/** Whether the suite is in Deno's cache, or can be fetched. */
export async function hasSuite(): Promise<boolean> {
  return (await suite(["--version"])).trim() !== "";
}

/** How a server did in a scenario. */
export interface Verdict {
  scenario: string;
  isRequired: boolean;
  /** Messages of the checks that failed; empty if the server passed. */
  failures: string[];
  /** Whether the suite left out all checks. */
  isSkipped: boolean;
}

/**
 * Runs all scenarios that a revision of MCP requires, and those that the suite
 * runs beside them.
 *
 * @throws {Error} If the suite cannot be had, or tells nothing.
 */
export async function runSuite(url: URL, era: Era): Promise<Verdict[]> {
  await using folder = await tempFolder();
  const out = await suite([
    ...["server", "--url", url.href, "--requirements", era],
    ...["-o", folder.path],
  ]);
  const [summary = "", unscored = ""] = out.split("Not scored for");
  const names = summary.slice(summary.indexOf("=== SUMMARY ==="))
    .matchAll(/^[✓✗] ([\w-]+):/gm);
  const folders = await readdir(folder.path);
  const verdicts = [...names].map(([, scenario = ""]): Verdict => {
    // The time of its start follows.
    const own = folders.find((name) =>
      name.startsWith(`server-${scenario}-2`)
    ) ??
      "";
    const text = Deno.readTextFileSync(join(folder.path, own, "checks.json"));
    const checks: unknown = JSON.parse(text);
    return {
      scenario,
      isRequired: !unscored.includes(` ${scenario} (`),
      ...toVerdict(Array.isArray(checks) ? checks.map(fields) : []),
    };
  });
  if (verdicts.length === 0) throw new Error(`The suite has failed: ${out}`);
  return verdicts;
}

function toVerdict(
  checks: Record<string, unknown>[],
): Pick<Verdict, "failures" | "isSkipped"> {
  const failed = checks.filter(({ status }) => status === "FAILURE");
  return {
    failures: failed.map(({ id, errorMessage }) => `${id}: ${errorMessage}`),
    isSkipped: checks.every(({ status }) => status === "SKIPPED"),
  };
}

/** Runs the suite's command; a scenario that fails ends it with 1. */
async function suite(args: string[]): Promise<string> {
  const flags = ["-A", "--no-config", `--lock=${LOCK}`, "--frozen"];
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", ...flags, SUITE, ...args],
    env: { NO_COLOR: "1" },
    stdin: "null",
    stderr: "inherit",
  }).output();
  return new TextDecoder().decode(stdout);
}
