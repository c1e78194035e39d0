import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { userFolder } from "./user_folder.ts";
import { PACKAGED } from "./packaged.ts";
import { type Packaged, unpack } from "./unpack.ts";

/** Finds the file that starts the program; unpacks a packaged program, once. */
export async function findCli(): Promise<string> {
  const packaged: Packaged | undefined = PACKAGED;
  if (!packaged) {
    return fileURLToPath(new URL("../../cli.ts", import.meta.url));
  }
  return join(await unpack(packaged, programsFolder()), "cli.ts");
}

/** Beside the cache, in which installs write. */
function programsFolder(): string {
  const os = process.platform === "win32" ? "windows" : process.platform;
  const folder = userFolder("cache", process.env, { os, home: homedir() });
  return join(folder ?? "", "mcp-run-python-programs");
}
