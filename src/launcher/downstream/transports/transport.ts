import { createHmac, randomBytes } from "node:crypto";
import { sha256 } from "../../../disk.ts";
import {
  type ServerEntry,
  unknownTransport,
} from "../../../protocol/downstream.ts";
import type { Json } from "../../../protocol/run_result.ts";
import type { System, TakenPath } from "../system.ts";
import type { Written } from "../client_formats/judge.ts";
import { HTTP, type Listens, ofHttp } from "./http.ts";
import { ofStdio, STDIO } from "./stdio.ts";
import { ofWasm, WASM } from "./wasm.ts";
import type { ScopePaths } from "../../../grants/permissions.ts";

/** This program, as an entry could name it. */
export interface OwnProgram {
  /** The path of its `cli.ts`. */
  cli: string;
  /** The address of its own server; absent over stdio. */
  listens?: Listens;
}

/**
 * The launcher's questions about an entry, which each transport answers in its file.
 */
interface Transport {
  /** Its program or address, without arguments and without secrets. */
  shown(): string;
  /** What it starts or reaches, whole but for secrets. */
  starts(): Json;
  /** The folder that it is configured to work in. */
  cwd: string | undefined;
  /** The facts by which it is another server, without values of secrets. */
  identity: readonly unknown[];
  secrets: { kind: "variables" | "headers"; values: Record<string, string> };
  /** Whether it is this very program, which would start itself without an end. */
  isOwn(program: OwnProgram, place: { os: string; cwd: string }): boolean;
  /** The paths from which it takes, or could take, what this machine runs. */
  takes(system: System): readonly TakenPath[];
  /** The entry, for which no program is looked for in some folders. */
  withoutFolders(
    isLeftOut: (folder: string) => boolean,
    system: System,
  ): ServerEntry;
  /**
   * The entry as its bridge needs it, and the rights for that.
   *
   * @throws {UserError} If its program or address cannot be used.
   */
  place(): { entry: ServerEntry; places: ScopePaths };
}

/** Each transport, as clients write it; a new one does not compile before. */
export const WRITTEN: Readonly<Record<ServerEntry["transport"], Written>> = {
  stdio: STDIO,
  http: HTTP,
  wasm: WASM,
};

export function transportOf(entry: ServerEntry): Transport {
  switch (entry.transport) {
    case "stdio":
      return ofStdio(entry);
    case "http":
      return ofHttp(entry);
    case "wasm":
      return ofWasm(entry);
    default:
      return unknownTransport(entry);
  }
}

/**
 * Hash of an entry, which names it on disk: the values of variables and headers
 * do not count, as they are secret; their names do.
 */
export function fingerprintOf(entry: ServerEntry): string {
  const { identity } = transportOf(entry);
  return sha256(JSON.stringify([entry.transport, ...identity]));
}

/**
 * Hash of all that a bridge is started with, and of what its entry may: it changes
 * with a secret, too. Its key is of this process alone: no secret can be guessed from it.
 */
export function revisionOf(entry: ServerEntry): string {
  const values = Object.entries(transportOf(entry).secrets.values).sort();
  const { always = false, allowSelf = false, allowWritable = false } = entry;
  const rights = [always, allowSelf, allowWritable];
  return createHmac("sha256", KEY)
    .update(JSON.stringify([fingerprintOf(entry), values, rights]))
    .digest("hex");
}

const KEY = randomBytes(32);
