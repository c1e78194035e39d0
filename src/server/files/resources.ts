import { setImmediate } from "node:timers";
import { MIB } from "../../units.ts";
import { invalidParams } from "../error_codes.ts";
import {
  type Resource,
  ResourceNotFoundError,
  type Server,
  type ServerContext,
} from "../../../deps/mcp_server.ts";
import { head } from "../../results/cut.ts";
import { firstOf, maybeText } from "../../results/result_files.ts";
import { maybePicture, mimeTypeOf } from "../../results/mime_types.ts";
import type { InstalledPackage } from "../../requirements/installed_package.ts";
import type { ServerSettings } from "../../protocol/server_settings.ts";
import {
  isSessionUri,
  listSessionResources,
  type ReadableSessions,
  readSession,
  SESSION_TEMPLATE,
} from "../sessions/session_resource.ts";
import {
  isManualUri,
  MANUAL_RESOURCE,
  readManual,
} from "../code_mode/manual.ts";
import type { CallsUnderWay } from "../calls_under_way.ts";
import { readOfComponent } from "../components/client_side.ts";
import type { Components } from "../components/components.ts";
import type { Reads } from "../reads.ts";
import { declares, UI_EXTENSION } from "../client_capabilities.ts";
import { APP_RESOURCE, isAppUri, readApp } from "./app_resource.ts";
import type { ConnectionFiles } from "./connection_files.ts";

/** Resources in an answer, and bytes of their names. */
const PAGE = { count: 500, room: 2 * MIB };
/** Bytes in an answer: the official client still takes them as base64. */
const MOST_BYTES = 6 * MIB;
/** Bytes of a text as JSON; a longer text is given as base64. */
const LONGEST_TEXT = 8 * MIB;

/** The start of all URIs but that of the manual. */
const OURS = "run-python://";
export const PACKAGES_URI = `${OURS}packages`;

type Kept = Pick<ConnectionFiles, "get" | "list">;

export interface PackagesToRead {
  /** Those that are installed by now. */
  packages(): readonly InstalledPackage[];
}

/**
 * Serves what runs left to read, the list of packages, sessions, and the manual of
 * code mode, as MCP resources.
 */
export function serveResources(
  server: Server,
  files: Kept,
  { settings, packages, reads, calls, components, ...readable }:
    & ReadableSessions
    & PackagesToRead
    & {
      settings: Pick<ServerSettings, "sessions" | "codeMode">;
      reads: Reads;
      calls: Pick<CallsUnderWay, "enter">;
      components?: Components;
    },
): void {
  const ofPackages = {
    uri: PACKAGES_URI,
    name: "Installed packages",
    mimeType: "application/json",
  };
  /** All that there is, by its place in the list. */
  const listAll = async (
    { signal, envelope }: Pick<ServerContext["mcpReq"], "signal" | "envelope">,
  ): Promise<Entry[]> => {
    const asker = { caller: readable.owner.name, signal };
    const known = server.getClientCapabilities();
    const own = [
      ...(declares(UI_EXTENSION, envelope, known) ? [APP_RESOURCE] : []),
      ...(settings.codeMode ? [MANUAL_RESOURCE] : []),
      ...(packages().length > 0 ? [ofPackages] : []),
    ];
    return [
      ...own.map((resource, at) => toEntry(resource, `0.${at}`)),
      ...listSessionResources(readable)
        .map(({ resource, order }) => toEntry(resource, `1.${order}`)),
      ...files.list().map(({ uri = "", path, bytes, order }) => {
        const { length: size } = bytes;
        const resource = { uri, name: path, size, mimeType: mimeTypeOf(path) };
        return toEntry(resource, `2.${order}`);
      }),
      // Their words are bounded, and clients judge them.
      ...(await components?.offers.resources(asker) ?? [])
        .map((found, at) => {
          const resource = { ...found, uri: `${found.uri}` };
          const name = `${found.name ?? found.uri}`;
          return toEntry(
            { ...resource, name },
            `3.${`${at}`.padStart(6, "0")}`,
          );
        }),
    ].sort((a, b) => a.order < b.order ? -1 : 1);
  };
  server.setRequestHandler("resources/list", async ({ params }, context) => {
    const cursor = readCursor(params?.cursor);
    const all = await listAll(context.mcpReq);
    const rest = all.filter(({ order }) => order > cursor);
    const page = firstOf(rest, PAGE);
    const last = page.at(-1);
    return {
      resources: page.map(({ resource }) => resource),
      ...(last && page.length < rest.length ? { nextCursor: last.order } : {}),
    };
  });
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [{
      uriTemplate: "run-python://{run}/{+path}{?offset,length}",
      name: "A file that a run wrote, or a result that was cut",
      description: "Of a large file a part, in bytes.",
    }, ...(settings.sessions ? [SESSION_TEMPLATE] : [])],
  }));
  server.setRequestHandler("resources/read", async ({ params }, context) => {
    const { uri } = params;
    const { mcpReq: { signal }, http } = context;
    const { owner } = readable;
    if (isAppUri(uri)) return { contents: [await readApp()] };
    if (settings.codeMode && isManualUri(uri)) {
      return { contents: [readManual(uri)] };
    }
    if (isSessionUri(uri)) {
      using _call = calls.enter(owner, http?.req);
      using _turn = await reads.looks.take(owner.name, signal);
      return { contents: [await readSession(uri, readable)] };
    }
    if (components && !uri.startsWith(OURS)) {
      using _call = calls.enter(owner, http?.req);
      const asker = { caller: owner.name, signal };
      const contents = await readOfComponent(uri, components, asker);
      if (contents) return { contents };
    }
    if (uri !== PACKAGES_URI) {
      const kept = findKept(uri, files);
      const turn = await reads.files.take(owner.name, signal);
      // As base64.
      const bytes = kept.bytes.length * 4 / 3;
      try {
        await reads.reserve(http?.req, bytes);
        const contents = [toContents(uri, kept)];
        // Other requests need not wait for the making and the writing of an answer.
        await new Promise((resolve) => setImmediate(resolve));
        return { contents };
      } finally {
        // To write the answer takes all of the server for its time.
        const taken = reads.taken(http?.req, bytes);
        void taken.finally(() => turn[Symbol.dispose]());
      }
    }
    const { mimeType } = ofPackages;
    const text = JSON.stringify(packages().map(toListed), null, 1);
    return { contents: [{ uri, mimeType, text }] };
  });
}

function toListed({ name, version, imports }: InstalledPackage) {
  return { name, version, imports };
}

/** A resource with its place in the list; its names count for the page's room. */
interface Entry {
  order: string;
  path: string;
  uri: string;
  resource: Resource;
}

function toEntry(resource: Resource, order: string): Entry {
  return { order, path: resource.name, uri: resource.uri, resource };
}

/** A file, and the bytes of it that are read. */
function findKept(uri: string, files: Kept) {
  const [address = "", query = ""] = uri.split("?", 2);
  const file = files.get(address);
  if (!file) {
    const name = head(uri, 300);
    if (!uri.startsWith(OURS)) {
      throw new ResourceNotFoundError(
        uri,
        `There is no resource ${name}: resources/list has those that there are.`,
      );
    }
    throw new ResourceNotFoundError(
      uri,
      `There is no file at ${name}: it may have been dropped for those of later runs, or be of another connection or server. Run the code again that wrote it.`,
    );
  }
  const { offset, length } = readRange(query, file.bytes.length);
  const bytes = file.bytes.subarray(offset, offset + length);
  if (bytes.length > MOST_BYTES) {
    throw invalidParams(
      `${address} has ${file.bytes.length} bytes, and ${MOST_BYTES} can be read at once: read ${address}?offset=0&length=${MOST_BYTES}, and so on`,
    );
  }
  return { file, bytes };
}

function toContents(uri: string, { file, bytes }: ReturnType<typeof findKept>) {
  const mimeType = maybePicture(file.bytes) ?? mimeTypeOf(file.path);
  const text = maybeText(bytes, LONGEST_TEXT);
  return text === undefined
    ? { uri, mimeType, blob: bytes.toBase64() }
    : { uri, mimeType, text };
}

function readRange(query: string, size: number) {
  const given = new URLSearchParams(query);
  const read = (name: string, otherwise: number) => {
    const text = given.get(name) ?? String(otherwise);
    if (/^\d{1,15}$/.test(text)) return Number(text);
    throw invalidParams(
      `${name} is "${text.slice(0, 100)}", and must be a number of bytes`,
    );
  };
  return { offset: read("offset", 0), length: read("length", size) };
}

/** A cursor is the place of the last entry, so that what comes or goes moves no other. */
function readCursor(cursor = ""): string {
  if (/^([0-3]\.[\w.-]{1,100})?$/.test(cursor)) return cursor;
  throw invalidParams(
    "The cursor is not one of this server's: start again without it",
  );
}
