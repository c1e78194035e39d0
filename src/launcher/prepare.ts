import type { Settings } from "../settings.ts";
import {
  ensureEnvironment,
  type HeldEnvironment,
  maybeCached,
} from "./installing/install.ts";
import { findWall, type Wall } from "./isolation.ts";
import type {
  InstallEvent,
  ShowInstall,
} from "../environments/phase_1/messages.ts";

/** All that phase 2 needs; its environment stays in the cache until its disposal. */
export interface Prepared extends Disposable {
  settings: Settings;
  wall: Wall | undefined;
  /** Undefined until it is installed. */
  environment: HeldEnvironment | undefined;
  /**
   * Phase 1: installs the environment.
   *
   * @throws {UserError} If it cannot be installed.
   */
  install(report?: (event: InstallEvent) => void): Promise<HeldEnvironment>;
  /**
   * Installs Python without packages, for a server whose own cannot be had; undefined
   * if no packages were asked for.
   */
  installBare(): Promise<HeldEnvironment | undefined>;
}

/**
 * Prepares phase 2, with phase 1 if packages are missing.
 *
 * @throws {UserError} If the install fails.
 */
export async function prepare(
  settings: Settings,
  showInstall?: ShowInstall,
): Promise<Prepared & { environment: HeldEnvironment }> {
  const prepared = await prepareWithoutInstall(settings, showInstall);
  const environment = prepared.environment ?? await prepared.install();
  return Object.assign(prepared, { environment });
}

/** Prepares phase 2; if packages are missing, the server has them installed. */
export async function prepareWithoutInstall(
  settings: Settings,
  showInstall: ShowInstall = (work) => work(() => {}),
): Promise<Prepared> {
  const prepared: Prepared = {
    settings,
    wall: await findWall(settings.isolation),
    environment: await showInstall((report) => maybeCached(settings, report)),
    async install(report = () => {}) {
      return prepared.environment = await showInstall((show) =>
        ensureEnvironment(settings, (event) => {
          show(event);
          report(event);
        })
      );
    },
    async installBare() {
      const { locked, ...rest } = settings;
      if (settings.dependencies.length === 0 && !locked) return undefined;
      return prepared.environment = await showInstall((show) =>
        ensureEnvironment({ ...rest, dependencies: [] }, show)
      );
    },
    [Symbol.dispose]() {
      prepared.environment?.[Symbol.dispose]();
    },
  };
  return prepared;
}
