import { basename } from "node:path";
import { messageOf, UserError } from "../../errors.ts";
import type { Settings } from "../../settings.ts";
import { followInstall } from "../../environments/install_steps.ts";
import { isAllowed, maybeNamed } from "../../requirements/allowed.ts";
import {
  type InstallAnswer,
  type Installed,
  OWN_ENVIRONMENT,
  type ServedEnvironment,
} from "../../protocol/install_answer.ts";
import type { ProgressStep } from "../../protocol/progress.ts";
import { prepareInstaller } from "./run_installer.ts";
import type { InstallEvent } from "../../environments/installer_messages.ts";

const MOST_BYTES = 1 << 16;
const MOST_REQUIREMENTS = 64;
/** Environments that the requests of a server may have made. */
const MOST_INSTALLS = 50;

export interface ServerInstalls {
  /** @throws {RangeError} If no environment has the number. */
  folderOf(number: number): string;
  /** Installs packages for the server; never throws. */
  install(
    number: number,
    payload: Uint8Array,
    onStep: (step: ProgressStep) => void,
  ): Promise<InstallAnswer>;
}

/** Describes an environment to the server. */
export function toServed(
  { folder, python, requested, packages }: Installed,
): ServedEnvironment {
  return { id: basename(folder), python, requested, packages };
}

interface ServerInstallsOptions {
  /** The folder of the server's own environment; undefined until it is installed. */
  ownFolder?: string | undefined;
  /** Installs the server's own environment. */
  installOwn(report: (event: InstallEvent) => void): Promise<Installed>;
  prepare?: typeof prepareInstaller;
}

/**
 * Prepares the installs of a server: its own environment's, unless that is there,
 * and those of packages that requests ask for, as far as the user allows them. It
 * reads this machine now, as the launcher gives up its permissions later.
 */
export async function prepareServerInstalls(
  settings: Settings,
  { ownFolder, installOwn, prepare = prepareInstaller }: ServerInstallsOptions,
): Promise<ServerInstalls> {
  const folders = new Map(
    ownFolder === undefined ? [] : [[OWN_ENVIRONMENT, ownFolder]],
  );
  const run = settings.allowInstall.length > 0
    ? await prepare(settings)
    : undefined;
  // Installs go in sequence: each takes a process, and requests can ask for many.
  let last: Promise<unknown> = Promise.resolve();
  return {
    folderOf(number) {
      const folder = folders.get(number);
      if (folder !== undefined) return folder;
      throw new RangeError(`there is not an environment ${number}`);
    },
    install(number, payload, onStep) {
      const answer = last.then(() => install(number, payload, onStep));
      last = answer;
      return answer;
    },
  };

  async function install(
    number: number,
    payload: Uint8Array,
    onStep: (step: ProgressStep) => void,
  ): Promise<InstallAnswer> {
    const follow = followInstall();
    const report = (event: InstallEvent) => {
      const step = follow(event);
      if (step) onStep(step);
    };
    try {
      if (folders.has(number)) throw new Error("Cannot install what is there");
      const installed = number === OWN_ENVIRONMENT
        ? await installOwn(report)
        : await installForCall(payload, report);
      folders.set(number, installed.folder);
      return { installed: toServed(installed) };
    } catch (error) {
      return { error: messageOf(error) };
    }
  }

  async function installForCall(
    payload: Uint8Array,
    report: (event: InstallEvent) => void,
  ): Promise<Installed> {
    // No sandbox process starts while the launcher has its permissions.
    if (!folders.has(OWN_ENVIRONMENT)) throw new Error(EARLY);
    const requirements = parse(payload, settings.allowInstall);
    // The server's own environment is not counted.
    const made = new Set(folders.values()).size - 1;
    if (!run || made >= MOST_INSTALLS) {
      throw new UserError(
        `Cannot install for a call: this server has made ${made} environments for calls, which is all it may.`,
      );
    }
    return await run(requirements, report);
  }
}

const EARLY =
  "Cannot install for a call before the server's own packages are there";

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
