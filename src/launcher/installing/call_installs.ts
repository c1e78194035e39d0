import { messageOf, UserError } from "../../errors.ts";
import type { Settings } from "../../settings.ts";
import { isAllowed, maybeNamed } from "../../requirements/allowed.ts";
import type { InstallAnswer } from "../../protocol/install_answer.ts";
import { prepareInstaller } from "./run_installer.ts";

const MOST_BYTES = 1 << 16;
const MOST_REQUIREMENTS = 64;
/** Environments that the requests of a server may have made. */
const MOST_INSTALLS = 50;

/**
 * Prepares installs of packages that requests ask for, as far as the user allows
 * them; reads this machine now, as the launcher gives up its permissions later.
 */
export async function prepareCallInstalls(
  settings: Settings,
  ownFolder: string,
  prepare: typeof prepareInstaller = prepareInstaller,
) {
  const folders = new Map([[0, ownFolder]]);
  const run = settings.allowInstall.length > 0
    ? await prepare(settings)
    : undefined;
  // Installs go in sequence: each takes a process, and requests can ask for many.
  let last: Promise<unknown> = Promise.resolve();
  return {
    /** @throws {RangeError} If no environment has the number; 0 is the server's own. */
    folderOf(number: number): string {
      const folder = folders.get(number);
      if (folder !== undefined) return folder;
      throw new RangeError(`there is not an environment ${number}`);
    },
    /** Installs packages beside the server's own; never throws. */
    install(id: number, payload: Uint8Array): Promise<InstallAnswer> {
      const answer = last.then(() => install(id, payload));
      last = answer;
      return answer;
    },
  };

  async function install(
    id: number,
    payload: Uint8Array,
  ): Promise<InstallAnswer> {
    try {
      const requirements = parse(payload, settings.allowInstall);
      // The server's own environment is not counted.
      const made = new Set(folders.values()).size - 1;
      if (!run || made >= MOST_INSTALLS) {
        throw new UserError(
          `Cannot install for a call: this server has made ${made} environments for calls, which is all it may.`,
        );
      }
      const installed = await run(requirements);
      folders.set(id, installed.folder);
      return { installed };
    } catch (error) {
      return { error: messageOf(error) };
    }
  }
}

/** Repeats the checks of the server: this process has the permission. */
function parse(payload: Uint8Array, allowed: string[]): string[] {
  if (payload.length > MOST_BYTES) throw new RangeError("too long a list");
  const list: unknown = JSON.parse(new TextDecoder().decode(payload));
  if (!Array.isArray(list) || list.length > MOST_REQUIREMENTS) {
    throw new TypeError(
      `Cannot install more than ${MOST_REQUIREMENTS} at once`,
    );
  }
  const texts = list.map((text) => {
    const named = typeof text === "string" ? maybeNamed(text) : undefined;
    if (named && isAllowed(named.name, allowed)) return named.text;
    throw new TypeError(`Cannot install ${JSON.stringify(text)} for a call`);
  });
  return [...new Set(texts)].sort();
}
