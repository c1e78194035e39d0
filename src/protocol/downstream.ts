// The MCP servers that code may call ("downstream"), as processes know them.
import type { GuestGrants } from "../grants/guest_grants.ts";
import { MIB } from "../units.ts";
import { fields, is, readForm } from "./fields.ts";
import type { Json } from "./run_result.ts";

/**
 * A downstream server as the user has configured it, with its secrets: launcher
 * and bridge alone know it.
 */
export type ServerEntry =
  & {
    name: string;
    description?: string;
    /** Whether each call may use it without naming it. */
    always?: boolean;
    /** Whether it counts though it is this very program. */
    allowSelf?: boolean;
    /** Whether it counts though Python could write what it runs. */
    allowWritable?: boolean;
    /** Says in words where it was found, such as a file's path. */
    source: string;
  }
  & (StdioEntry | HttpEntry | WasmEntry);

/** A server that is started as a process. */
export interface StdioEntry {
  transport: "stdio";
  /** A name on the path, or a path. */
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd?: string;
}

/** A server that is reached by streamable HTTP. */
export interface HttpEntry {
  transport: "http";
  url: string;
  headers: Record<string, string>;
}

/** A WebAssembly component, which runs in a process of its own. */
export interface WasmEntry {
  transport: "wasm";
  /** Absolute. */
  file: string;
  /** SHA-256 of the file, as the user pins it, or as it was when the entry was read. */
  sha256: string;
  /** The file that its grants are read from: absolute; nothing is granted without one. */
  policy?: string;
  grants: GuestGrants;
}

/** Bytes of a component's file: Python in one has a fifth of it. */
export const LARGEST_COMPONENT: number = 128 * MIB;

/** For the `default` of a switch: a new transport does not compile before it. */
export function unknownTransport(entry: never): never {
  throw new TypeError(`There is no such transport: ${JSON.stringify(entry)}`);
}

/** The entry of a component; undefined for another server. */
export function maybeWasm(
  entry: ServerEntry,
): ServerEntry & WasmEntry | undefined {
  switch (entry.transport) {
    case "wasm":
      return entry;
    case "stdio":
    case "http":
      return undefined;
    default:
      return unknownTransport(entry);
  }
}

/** The kind of process that answers for a server. */
export function processOf(
  { transport }: Pick<ListedServer, "transport">,
): "bridge" | "component" {
  switch (transport) {
    case "wasm":
      return "component";
    case "stdio":
    case "http":
      return "bridge";
    default:
      return unknownTransport(transport);
  }
}

export function isComponent(server: Pick<ListedServer, "transport">): boolean {
  return processOf(server) === "component";
}

/** A downstream server as the server process knows it: without secrets. */
export interface ListedServer {
  name: string;
  description?: string;
  /** Whether each call may use it without naming it. */
  always?: boolean;
  transport: ServerEntry["transport"];
  cwd?: string;
  /** What a component may use, in words, without paths of this machine. */
  grants?: string;
  /** Where it was found, in words. */
  source: string;
  /** Hash of its entry without secrets, by which its list of tools is kept. */
  fingerprint: string;
  /** Differs for another entry of the same name; other in each process. */
  revision: string;
  /** Set if its entry was another, or none, when this program started. */
  changed?: ChangedEntry;
}

/** An entry that this program has not started with: whoever wrote it may not be the user. */
export interface ChangedEntry {
  how: "added" | "changed";
  /** What it starts or reaches, for the user. */
  starts: Json;
}

/** A tool of a downstream server: what that server says, cut and checked. */
export interface DownstreamTool {
  name: string;
  title?: string;
  description?: string;
  /** JSON Schema of an object. */
  inputSchema: Record<string, unknown>;
  outputSchema?: Record<string, unknown>;
  annotations?: ToolAnnotations;
}

export interface ToolAnnotations {
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

/** Characters of a tool's name. */
const LONGEST_NAME = 256;
const isName = (data: unknown): data is string =>
  is.text(data) && data !== "" && data.length <= LONGEST_NAME;
const isHint = is.oneOf(true, false);
const HINTS = {
  readOnlyHint: isHint,
  destructiveHint: isHint,
  idempotentHint: isHint,
  openWorldHint: isHint,
};

/** Reads a tool that a downstream server lists; undefined if it is not a tool. */
export function maybeTool(data: unknown): DownstreamTool | undefined {
  const { inputSchema, outputSchema, annotations } = fields(data);
  const words = { title: is.text, description: is.text };
  const named = readForm(data, { name: isName }, words);
  if (!named) return undefined;
  const tool: DownstreamTool = { ...named, inputSchema: fields(inputSchema) };
  if (outputSchema !== undefined) tool.outputSchema = fields(outputSchema);
  const hints = readForm(annotations, {}, HINTS) ?? {};
  if (Object.keys(hints).length > 0) tool.annotations = hints;
  return tool;
}

/**
 * Variables that each downstream server gets from the launcher's environment; the
 * values of all others are secrets of its entry.
 */
export const BASE_VARIABLES: readonly string[] = [
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TZ", "TMPDIR"],
  ...["LANG", "LC_ALL", "LC_CTYPE", "LC_MESSAGES"],
  ...["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"],
  ...["XDG_RUNTIME_DIR", "XDG_STATE_HOME"],
  // Windows writes some of them in mixed case, and reads all without regard to it.
  ...["SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "OS"],
  ...["USERPROFILE", "USERNAME", "HOMEDRIVE", "HOMEPATH", "TEMP", "TMP"],
  ...["APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES"],
  ...["PROGRAMFILES(X86)", "PROCESSOR_ARCHITECTURE", "NUMBER_OF_PROCESSORS"],
];
