import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { PACKAGED } from "./packaged.ts";
import { type Packaged, programsFolder, unpack } from "./unpack.ts";

/** Finds the file that starts the program; unpacks a packaged program, once. */
export async function findCli(): Promise<string> {
  const packaged: Packaged | undefined = PACKAGED;
  if (!packaged) {
    return fileURLToPath(new URL("../../cli.ts", import.meta.url));
  }
  const os = process.platform === "win32" ? "windows" : process.platform;
  const folder = programsFolder(process.env, { os, home: homedir() });
  return join(await unpack(packaged, folder), "cli.ts");
}
