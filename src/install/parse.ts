import { z } from "../../deps/zod.ts";
import type { FromInstaller, FromInstallWorker } from "./messages.ts";
import type { InstalledPackage } from "./environment.ts";

const bytes = z.custom<Uint8Array<ArrayBuffer>>((value) =>
  value instanceof Uint8Array
);
const namedBytes = z.array(z.tuple([z.string(), bytes]));

const WorkerMessage = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("fetch"),
    id: z.int(),
    url: z.string(),
    headers: z.record(z.string(), z.string()),
  }),
  z.object({ type: z.literal("snapshot"), bytes, version: z.string() }),
  z.object({
    type: z.literal("installed"),
    report: z.string(),
    wheels: namedBytes,
    files: namedBytes,
  }),
  z.object({ type: z.literal("probed"), sources: z.array(z.string()) }),
  z.object({ type: z.literal("broken"), reason: z.string() }),
]);

const Report = z.union([
  z.object({ error: z.string(), exitCode: z.int() }),
  z.object({
    packages: z.array(z.object({
      name: z.string(),
      version: z.string(),
      imports: z.array(z.string()),
      // It becomes a path.
      file: z.string().regex(/^[A-Za-z0-9_.+!-]+\.whl$/),
      url: z.string(),
      sha256: z.string(),
    })),
  }),
]);

const InstallerMessage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("progress"), text: z.string() }),
  z.object({ type: z.literal("source"), text: z.string() }),
  z.object({ type: z.literal("done") }),
  z.object({
    type: z.literal("error"),
    message: z.string(),
    exitCode: z.int(),
  }),
]);

/** Reads a message of a phase 1 worker. */
export function parseFromInstallWorker(data: unknown): FromInstallWorker {
  return WorkerMessage.parse(data);
}

/** Reads the resolver's report: what was installed, or why not. */
export function parseReport(
  text: string,
): { packages: InstalledPackage[] } | { error: string; exitCode: number } {
  return Report.parse(JSON.parse(text));
}

/** Reads a line of the installer process. */
export function parseFromInstaller(line: string): FromInstaller {
  return InstallerMessage.parse(JSON.parse(line));
}
