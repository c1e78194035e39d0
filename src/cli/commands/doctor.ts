import { EXIT, unhintedMessageOf, UserError } from "../../errors.ts";
import { print } from "../../log.ts";
import type { Settings } from "../../settings.ts";
import {
  askSources,
  countServers,
  examine,
  examineWall,
  type Finding,
  listComponents,
  listGrants,
  listMounts,
  listPermissions,
  listVersions,
  measureCaches,
  NOT_TRIED,
  tryPython,
} from "../findings.ts";
import { examineStore } from "../store_finding.ts";

/**
 * Looks whether a server with these options would work, shows its findings, and
 * ends with a trial run; 1 if the server would not work.
 */
export async function doctor(
  settings: Settings,
  { json }: { json: boolean },
): Promise<number> {
  const found: Record<string, unknown> = {};
  const problems: string[] = [];
  const show = (title: string, lines: string[]) => {
    const indented = lines.map((line) => `  ${line}\n`).join("");
    if (!json) print(`${title}\n${indented}\n`);
  };
  const look = async <Facts>(
    key: string,
    title: string,
    find: () => Finding<Facts> | Promise<Finding<Facts>>,
  ) => {
    const { lines, facts, problem } = await findOrExplain(find);
    found[key] = facts ?? null;
    if (problem && !problems.includes(problem)) problems.push(problem);
    show(title, lines);
    return facts;
  };

  await look("versions", "Versions", () => listVersions(settings));
  await look("cache", "Cache", () => measureCaches(settings));
  const sources = await look("sources", "Sources", () => askSources(settings));
  const environment = "Environment of these options";
  await look("environment", environment, () => examine(settings, sources));
  await look("isolation", "Second wall", () => examineWall(settings));
  const permissions = "What each process may do";
  await look("permissions", permissions, () => listPermissions(settings));
  await look("mounts", "Mounts", () => listMounts(settings));
  await look("grants", "Grants of Python", () => listGrants(settings));
  await look("sessions", "Stored sessions", () => examineStore(settings));
  await look("codeMode", "Code mode", () => countServers(settings));
  await look("components", "Components", () => listComponents(settings));
  // The last, as this process gives up its permissions for it.
  const tryThese = () => problems.length > 0 ? NOT_TRIED : tryPython(settings);
  await look("trial", "Trial run", tryThese);
  const ok = problems.length === 0;
  if (json) print(`${JSON.stringify({ ok, problems, ...found }, null, 2)}\n`);
  show("Result", ok ? ["a server with these options works"] : problems);
  return ok ? EXIT.ok : EXIT.failure;
}

/** The finding, or the error of the user's that it fails with. */
async function findOrExplain<Facts>(
  find: () => Finding<Facts> | Promise<Finding<Facts>>,
): Promise<Finding<Facts | undefined>> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const message = unhintedMessageOf(error);
    return { lines: [message], facts: undefined, problem: message };
  }
}
