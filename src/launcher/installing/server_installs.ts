import { FOR_CALLS } from "../../requirements/install_errors.ts";
import { basename } from "node:path";
import { messageOf, UserError } from "../../errors.ts";
import type { Settings } from "../../settings.ts";
import { followInstall } from "../../environments/install_steps.ts";
import { isAllowed, maybeNamed } from "../../requirements/allowed.ts";
import {
  COUNTED_MS,
  type InstallAnswer,
  type Installed,
  MOST_ENVIRONMENTS,
  MOST_KNOWN,
  type ServedEnvironment,
} from "../../protocol/server_settings.ts";
import type { ProgressStep } from "../../protocol/run_messages.ts";
import { prepareInstaller } from "./run_installer.ts";
import type { InstallEvent } from "../../environments/phase_1/messages.ts";

const MOST_CHARS = 1 << 16;
const MOST_REQUIREMENTS = 64;

export interface ServerInstalls {
  /** Whether sandboxes may start: the launcher has given its permissions up. */
  readonly isDone: boolean;
  /** @throws {RangeError} If this server has no environment of the id. */
  folderOf(id: string): string;
  /** Installs packages for the server, or its own if there are none; never throws. */
  install(
    requirements: unknown,
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
  /** Installs the server's own environment, and gives permissions up. */
  installOwn(report: (event: InstallEvent) => void): Promise<Installed>;
  /** The same with Python alone, once that has failed; undefined if there is none. */
  installBare?(): Promise<Installed | undefined>;
  prepare?: typeof prepareInstaller;
  /** Gives a time in milliseconds. */
  now?: () => number;
}

/**
 * Prepares the installs of a server: its own environment's, unless that is there,
 * and those of packages that requests ask for, as far as the user allows them. It
 * reads this machine now, as the launcher gives up its permissions later.
 */
export async function prepareServerInstalls(
  settings: Settings,
  {
    ownFolder,
    installOwn,
    installBare = () => Promise.resolve(undefined),
    prepare = prepareInstaller,
    now = () => performance.now(),
  }: ServerInstallsOptions,
): Promise<ServerInstalls> {
  const folders = new Map<string, string>();
  /** Requirements of installs that have succeeded; they may be asked for again. */
  const known = new Set<string>();
  /** Times of environments that count, by folder. */
  const made = new Map<string, number>();
  let hasOwn = ownFolder !== undefined;
  let bare: ServedEnvironment | undefined;
  if (ownFolder !== undefined) folders.set(basename(ownFolder), ownFolder);
  const run = settings.allowInstall.length > 0 || !hasOwn
    ? await prepare(settings)
    : undefined;
  // Installs go in sequence: each takes a process, and requests can ask for many.
  let last: Promise<unknown> = Promise.resolve();
  return {
    get isDone() {
      return hasOwn || bare !== undefined;
    },
    folderOf(id) {
      const folder = folders.get(id);
      if (folder !== undefined) return folder;
      throw new RangeError(`there is not an environment ${id}`);
    },
    install(requirements, onStep) {
      const answer = last.then(() => install(requirements, onStep));
      last = answer;
      return answer;
    },
  };

  async function install(
    requirements: unknown,
    onStep: (step: ProgressStep) => void,
  ): Promise<InstallAnswer> {
    const follow = followInstall();
    const report = (event: InstallEvent) => {
      const step = follow(event);
      if (step) onStep(step);
    };
    let isOwn = false;
    try {
      const list = parse(requirements, settings.allowInstall);
      isOwn = list.length === 0;
      if (hasOwn && list.length === 0) {
        throw new Error(FOR_CALLS.there);
      }
      const installed = !isOwn
        ? await installForCall(list, report)
        : bare && run
        ? await run([], report)
        : await installOwn(report);
      if (isOwn) hasOwn = true;
      return { installed: serve(installed) };
    } catch (error) {
      const answer = { error: messageOf(error) };
      if (!isOwn || hasOwn) return answer;
      const installed = bare ? undefined : await installBare().catch(() => {});
      if (installed) bare = serve(installed);
      return { ...answer, ...(bare ? { bare } : {}) };
    }
  }

  function serve(installed: Installed): ServedEnvironment {
    const served = toServed(installed);
    folders.set(served.id, installed.folder);
    return served;
  }

  async function installForCall(
    requirements: string[],
    report: (event: InstallEvent) => void,
  ): Promise<Installed> {
    // No sandbox process starts while the launcher has its permissions.
    if (!hasOwn) throw new Error(FOR_CALLS.early);
    for (const [folder, at] of made) {
      if (now() - at > COUNTED_MS) made.delete(folder);
    }
    const key = JSON.stringify(requirements);
    if (!run || made.size >= MOST_ENVIRONMENTS && !known.has(key)) {
      throw new UserError(FOR_CALLS.allMade(made.size));
    }
    const installed = await run(requirements, report);
    const { folder } = installed;
    if (!folders.has(basename(folder))) made.set(folder, now());
    if (known.size >= MOST_KNOWN) known.clear();
    known.add(key);
    return installed;
  }
}

/** Repeats the checks of the server: this process has the permission. */
function parse(list: unknown, allowed: string[]): string[] {
  if (JSON.stringify(list).length > MOST_CHARS) {
    throw new RangeError("too long a list");
  }
  if (!Array.isArray(list) || list.length > MOST_REQUIREMENTS) {
    throw new TypeError(FOR_CALLS.tooMany(MOST_REQUIREMENTS));
  }
  const texts = list.map((text: unknown) => {
    const named = typeof text === "string" ? maybeNamed(text) : undefined;
    if (named && isAllowed(named.name, allowed)) return named.text;
    throw new TypeError(FOR_CALLS.notAllowed(text));
  });
  return [...new Set(texts)].sort();
}
