import { fileURLToPath } from "node:url";
import { usageError, UserError } from "../../errors.ts";
import { log } from "../../log.ts";
import { summarizeGrants } from "../../grants/policy_file/explain.ts";
import { BY_OPTION } from "../components/read_component.ts";
import {
  isComponent,
  type ListedServer,
  maybeWasm,
  type ServerEntry,
} from "../../protocol/downstream.ts";
import type { Settings } from "../../settings.ts";
import { type ConfiguredFiles, openFiles } from "./configured_files.ts";
import { knownSources, toSources } from "./client_files.ts";
import type { Source } from "./source.ts";
import type { Skip, SkippedEntry } from "./client_formats/format.ts";
import { type System, thisSystem } from "./system.ts";
import {
  fingerprintOf,
  type OwnProgram,
  revisionOf,
  transportOf,
} from "./transports/transport.ts";
import { findWritten, whyWritten, withoutWritten } from "./written_by_code.ts";

/** The downstream servers of the user; each look finds what the files say now. */
export interface Configurations {
  /** Without secrets. */
  list(): ListedServer[];
  /** @throws {UserError} If it may not be started any more. */
  find(name: string): ServerEntry | undefined;
  /** Whether the first look has found this entry of this name. */
  isFirst(name: string, revision: string): boolean;
  /**
   * Takes what the files say now for what they said at the start: the user asks for it.
   *
   * @returns Names of servers that were added, changed or taken out.
   * @throws {UserError} If a file cannot be read; its servers stay as they were.
   */
  agree(): string[];
  report(): ConfigurationReport;
}

/** The data of `mcp-run-python servers list`. */
export interface ConfigurationReport {
  servers: ReportedServer[];
  skipped: SkippedServer[];
  /** Files that cannot be read as a whole. */
  faults: { path: string; reason: string }[];
  /** Files of other programs that are there, and that count with `--mcp-config discover`. */
  undiscovered: string[];
}

export interface ReportedServer {
  /** With its secrets. */
  entry: ServerEntry;
  listed: ListedServer;
  client: string;
  notes: string[];
}

export interface SkippedServer extends SkippedEntry {
  client: string;
}

export type ConfigurationSettings =
  & Pick<Settings, "mcpConfig" | "discover" | "allowSelfServer">
  & Partial<Pick<Settings, "mounts" | "components" | "policy">>;

export interface ConfigurationOptions {
  /** The address of this server, if it is one of HTTP. */
  listens?: OwnProgram["listens"];
  warn?: (line: string) => void;
}

/**
 * Reads the files that name downstream servers, and once more each that changes.
 *
 * @throws {UserError} If a file that the user names cannot be read.
 */
export function openConfigurations(
  settings: ConfigurationSettings,
  system: System = thisSystem(),
  { listens, warn = log }: ConfigurationOptions = {},
): Configurations {
  const program = { cli: OWN_CLI, ...(listens ? { listens } : {}) };
  const sources = toSources(settings, system);
  const why = whyWritten(settings.mounts ?? [], system);
  const refresh = openFiles(sources, withoutWritten(system, why), warn);
  const refuse = (entry: ServerEntry): Skip | undefined => {
    if (
      !settings.allowSelfServer && !entry.allowSelf &&
      transportOf(entry).isOwn(program, system)
    ) {
      return OWN_SERVER;
    }
    if (entry.allowWritable) return undefined;
    const reason = findWritten(entry, why, system);
    return reason === undefined
      ? undefined
      : { reason, remedy: WRITABLE_REMEDY };
  };
  // As `npx` looks for programs where a model may have put some.
  const prepare = (entry: ServerEntry) =>
    entry.allowWritable ? entry : transportOf(entry).withoutFolders(
      (folder) => why(folder) !== undefined,
      system,
    );
  let files = refresh();
  refuseMissing(sources, files, system);
  let found = toReport(files, prepare, refuse);
  const revisions = () =>
    new Map(
      found.servers.map(({ listed: { name, revision } }) => [name, revision]),
    );
  let first = revisions();
  const isFirst = (name: string, revision: string) =>
    first.get(name) === revision;
  const look = () => {
    const now = refresh();
    if (now !== files) found = toReport(files = now, prepare, refuse);
    return found;
  };
  return {
    isFirst,
    list: () =>
      look().servers.map(({ entry, listed }) => {
        const { name, revision } = listed;
        if (isFirst(name, revision)) return listed;
        const how = first.has(name) ? "changed" : "added";
        const starts = transportOf(entry).starts();
        return { ...listed, changed: { how, starts } };
      }),
    find(name) {
      const found = look().servers.find(({ entry }) => entry.name === name);
      // Its program, or a link to it, may be another than when it was listed.
      const skip = found && refuse(found.entry);
      if (skip) {
        throw new UserError(
          `Cannot start the server "${name}": ${skip.reason}. ${skip.remedy}`,
        );
      }
      return found?.entry;
    },
    agree() {
      const [fault] = look().faults;
      const before = first;
      first = revisions();
      if (fault) {
        throw new UserError(
          `Cannot read the MCP servers in "${fault.path}": ${fault.reason}.`,
        );
      }
      return [...new Set([...before.keys(), ...first.keys()])]
        .filter((name) => before.get(name) !== first.get(name));
    },
    report: () => ({
      ...look(),
      undiscovered: settings.discover ? [] : findOthers(sources, system),
    }),
  };
}

/** Sentences for the user about components that are left out, and about their policies. */
export function componentWarnings(
  { servers, skipped }: Pick<ConfigurationReport, "servers" | "skipped">,
): string[] {
  return [
    ...skipped.filter(({ client }) => client === BY_OPTION)
      .map(({ name, reason, remedy = "" }) =>
        `The component "${name}" is left out as ${reason}. ${remedy}`.trimEnd()
      ),
    ...servers.filter(({ entry }) => isComponent(entry))
      .flatMap(({ notes }) => notes),
  ];
}

const OWN_CLI = fileURLToPath(new URL("../../../cli.ts", import.meta.url));

/** Judges all entries in their order; the first usable one of a name counts. */
function toReport(
  files: ConfiguredFiles,
  prepare: (entry: ServerEntry) => ServerEntry,
  refuse: (entry: ServerEntry) => Skip | undefined,
): Omit<ConfigurationReport, "undiscovered"> {
  const servers = new Map<string, ReportedServer>();
  const skipped: SkippedServer[] = [];
  const all = [...files.values()].flatMap(({ source: { client }, servers }) =>
    servers.map((found) => ({ client, found }))
  );
  for (const { client, found } of all) {
    if (!("entry" in found)) {
      skipped.push({ client, ...found });
      continue;
    }
    const { notes } = found;
    const entry = prepare(found.entry);
    const { name, source } = entry;
    const first = servers.get(name);
    const skip = refuse(entry) ?? (first && {
      reason: `${first.entry.source} names it first`,
      remedy: "Give it another name to use both.",
    });
    if (skip) skipped.push({ name, source, client, ...skip });
    else servers.set(name, { entry, listed: toListed(entry), client, notes });
  }
  const faults = [...files].flatMap(([path, { fault: reason }]) =>
    reason === undefined ? [] : [{ path, reason }]
  );
  return { servers: [...servers.values()], skipped, faults };
}

const OWN_SERVER: Skip = {
  reason: "it starts or reaches this very program",
  remedy: 'If you mean it, write "allowSelf": true in its entry.',
};

const WRITABLE_REMEDY =
  'Keep it elsewhere, give the entry a "cwd" elsewhere, or mount the folder read-only. If you mean it, write "allowWritable": true in its entry.';

function toListed(entry: ServerEntry): ListedServer {
  const { name, description, source, always } = entry;
  const { cwd } = transportOf(entry);
  const wasm = maybeWasm(entry);
  return {
    name,
    transport: entry.transport,
    source,
    ...(description === undefined ? {} : { description }),
    ...(always ? { always } : {}),
    ...(cwd === undefined ? {} : { cwd }),
    ...(wasm ? { grants: summarizeGrants(wasm.grants) } : {}),
    fingerprint: fingerprintOf(entry),
    revision: revisionOf(entry),
  };
}

function refuseMissing(
  sources: readonly Source[],
  files: ConfiguredFiles,
  system: System,
): void {
  for (const { path } of sources.filter(({ isNamed }) => isNamed)) {
    const reason = system.stamp(path) === undefined
      ? "it does not exist"
      : files.get(path)?.fault;
    if (reason === undefined) continue;
    throw usageError(
      `Cannot read the MCP servers in "${path}": ${reason}. ` +
        "Name a file, or a folder of *.json files, with --mcp-config.",
    );
  }
}

function findOthers(sources: readonly Source[], system: System): string[] {
  const read = new Set(sources.map(({ path }) => path));
  return knownSources(system).map(({ path }) => path)
    .filter((path) => !read.has(path) && system.stamp(path) !== undefined);
}
