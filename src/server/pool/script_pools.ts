import { messageOf } from "../../errors.ts";
import { canonicalName } from "../../requirements/canonical_name.ts";
import { isAllowed, maybeNamed } from "../../requirements/allowed.ts";
import type { InstalledPackage } from "../../requirements/installed_package.ts";
import {
  type EndedInstall,
  Installs,
  type InstallWaiter,
  refusal,
  type StartInstall,
} from "./installs.ts";
import { OWN_ENVIRONMENT } from "../../protocol/install_answer.ts";
import type { LocalPool } from "./local_pool.ts";
import type { Pool } from "./pool.ts";
import type { EndCause } from "./sandbox.ts";
import type { RunResult } from "../../protocol/run_result.ts";
import { head } from "../../results/cut.ts";
import type { ScriptMetadata } from "../../requirements/script_metadata.ts";
import {
  MOST_POOLS,
  type ServerSettings,
} from "../../protocol/server_settings.ts";
import type { PoolStatus, Unready } from "../../protocol/server_status.ts";

const MARKER = /^# \/\/\/ script\s*$/m;

/** Whether code may have inline metadata; most code has none. */
export function hasMetadata(code: string): boolean {
  return MARKER.test(code);
}

interface ScriptPoolsOptions {
  settings: Pick<
    ServerSettings,
    "allowInstall" | "environment" | "installWaitSeconds" | "pool"
  >;
  install: StartInstall;
  /** Starts a pool in an environment. */
  startPool(environment: number): LocalPool;
}

type FindOptions = InstallWaiter & { dependencies?: string[] | undefined };

/** Pools for code by the packages that its inline metadata (PEP 723) asks for. */
export class ScriptPools {
  /** Called once the server's own packages are there, if they were not at its start. */
  onInstalled: () => void = () => {};

  /** Processes that have ended and are replaced, by cause. */
  readonly restarts: Record<EndCause, number> = {
    ...{ exited: 0, killed: 0, late: 0, retired: 0, broken: 0 },
  };

  #installs: Installs;
  #pools = new Map<number, LocalPool>();
  #own: LocalPool | undefined;
  /** Of the last install of its own packages, until another ends. */
  #failure: Unready | undefined;
  #environment: ServerSettings["environment"];

  constructor(private options: ScriptPoolsOptions) {
    const { settings, install } = options;
    this.#environment = settings.environment;
    const { running, waiting } = settings.pool;
    this.#installs = new Installs(install, {
      waitMs: settings.installWaitSeconds * 1000,
      waiting: running + waiting,
    });
    if (this.#environment) this.#own = options.startPool(OWN_ENVIRONMENT);
    else void this.#installs.install([]).then((ended) => this.#takeOwn(ended));
  }

  /** The server's own packages; undefined until they are installed. */
  get environment(): ServerSettings["environment"] {
    return this.#environment;
  }

  /** Seconds until there may be a place for a run, if all are taken. */
  get retrySeconds(): number {
    return this.#own?.retrySeconds ?? 1;
  }

  /** All pools together. */
  get status(): PoolStatus {
    const sum = {
      ...{ preparing: 0, ready: 0, busy: 0, kept: 0 },
      waiting: this.#installs.waiting,
    };
    const own = this.#own ? [this.#own] : [];
    for (const { status } of [...own, ...this.#pools.values()]) {
      sum.preparing += status.preparing;
      sum.ready += status.ready;
      sum.busy += status.busy;
      sum.kept += status.kept;
      sum.waiting += status.waiting;
    }
    return sum;
  }

  get installs(): Installs["ended"] {
    return this.#installs.ended;
  }

  /** Why calls cannot run; undefined if they can. */
  get unready(): Unready | undefined {
    return this.#own ? this.#own.unready : this.#failure ??
      { state: "installing", reason: "Packages are being installed." };
  }

  /**
   * Finds the pool for code, installing what it asks for; or says why there is none.
   *
   * @param options.dependencies Requirements beside those of its metadata.
   */
  async find(
    code: string,
    { dependencies: more = [], ...waiter }: FindOptions = {},
  ): Promise<Pool | RunResult> {
    const own = this.#own ?? await this.#openOwn(waiter);
    if (!("run" in own) || !this.#environment) return own;
    if (!hasMetadata(code) && more.length === 0) return own;
    const { parseScriptMetadata } = await import(
      "../../requirements/script_metadata.ts"
    );
    let metadata: ScriptMetadata | undefined;
    try {
      metadata = await parseScriptMetadata(code);
    } catch (error) {
      return refusal(
        "install-error",
        `Cannot read the metadata of this code: ${messageOf(error)}`,
      );
    }
    // Most code has no metadata, and needs nothing of this.
    const { maybeInRange } = await import(
      "../../requirements/version_range.ts"
    );
    const { python, packages } = this.#environment;
    const { requiresPython, dependencies = [] } = metadata ?? {};
    const fits = maybeInRange(python, requiresPython ?? "");
    if (!fits) {
      const range = head(requiresPython ?? "", 100);
      const reason = fits === undefined
        ? `its requires-python, "${range}", is not a range of versions; write it like ">=3.11"`
        : `it requires Python ${range}, and this is ${python}`;
      return refusal("install-error", `Cannot run this code as ${reason}.`);
    }
    const missing = [...dependencies, ...more].filter((text) =>
      !isInstalled(text, packages, maybeInRange)
    );
    if (missing.length === 0) return own;
    const denials = missing.map((text) => this.#maybeDenial(text));
    const denial = denials.find((denial) => denial !== undefined);
    if (denial !== undefined) return refusal("denied", denial);
    return await this.#open(missing, waiter);
  }

  async #openOwn(waiter?: InstallWaiter): Promise<Pool | RunResult> {
    const ended = await this.#installs.wait([], waiter);
    return "answer" in ended ? this.#takeOwn(ended) : ended;
  }

  #takeOwn({ answer }: EndedInstall): Pool | RunResult {
    if ("error" in answer) {
      this.#failure = { state: "failed", reason: answer.error };
      return refusal("install-error", answer.error);
    }
    if (!this.#own) {
      this.#environment = answer.installed;
      this.#own = this.options.startPool(OWN_ENVIRONMENT);
      this.onInstalled();
    }
    return this.#own;
  }

  /** The reason why a package may not be installed; undefined if it may. */
  #maybeDenial(text: string): string | undefined {
    const { allowInstall } = this.options.settings;
    const named = maybeNamed(text);
    if (!named) {
      const start = head(text, 200);
      return `Cannot install "${start}" as code may ask for packages by name only, such as "rich>=14".`;
    }
    if (isAllowed(named.name, allowInstall)) return undefined;
    const allowed = allowInstall.length > 0
      ? `only ${allowInstall.join(", ")} may be installed for a call`
      : "nothing may be installed for a call";
    return `Cannot install "${text}" as ${allowed}. Ask the user to start the server with --deps ${named.name}, or with --allow-install ${named.name}.`;
  }

  async #open(
    missing: string[],
    waiter?: InstallWaiter,
  ): Promise<Pool | RunResult> {
    const texts = missing.map((text) => maybeNamed(text)?.text ?? text);
    const requirements = [...new Set(texts)].sort();
    const ended = await this.#installs.wait(requirements, waiter);
    if (!("answer" in ended)) return ended;
    const { environment, answer } = ended;
    if (!("error" in answer)) return this.#poolOf(environment);
    return refusal("install-error", answer.error);
  }

  #poolOf(environment: number): Pool {
    const pool = this.#pools.get(environment) ??
      this.options.startPool(environment);
    // The pool that was used last is the last to go.
    this.#pools.delete(environment);
    this.#pools.set(environment, pool);
    if (this.#pools.size > MOST_POOLS) {
      const [[oldest, unused] = []] = this.#pools;
      if (oldest !== undefined) this.#pools.delete(oldest);
      unused?.close();
    }
    return pool;
  }
}

function isInstalled(
  text: string,
  packages: Pick<InstalledPackage, "name" | "version">[],
  maybeInRange:
    typeof import("../../requirements/version_range.ts").maybeInRange,
): boolean {
  const named = maybeNamed(text);
  if (!named || named.hasExtras) return false;
  return packages.some(({ name, version }) =>
    canonicalName(name) === named.name &&
    maybeInRange(version, named.specifier)
  );
}
