import { maybeNamed } from "../../requirements/allowed.ts";
import {
  Installs,
  type InstallShares,
  type InstallWaiter,
  type StartInstall,
} from "./installs.ts";
import {
  type EndCause,
  type Made,
  type OrRefused,
  type Pool,
  refusal,
  type StartPool,
} from "./pool.ts";
import type { EngineProfile } from "../../protocol/engine_profile.ts";
import type { RunResult } from "../../protocol/run_result.ts";
import { Share } from "../../shares.ts";
import { head } from "../../results/cut.ts";
import { mayImport } from "./lacking.ts";
import { ScriptWants } from "./script_wants.ts";
import {
  type InstallAnswer,
  MOST_ENVIRONMENTS,
  MOST_POOLS,
  type ServedEnvironment,
  type ServerSettings,
} from "../../protocol/server_settings.ts";
import type {
  PoolStatus,
  Unready,
  Waits,
} from "../../protocol/server_status.ts";

interface ScriptPoolsOptions {
  settings: Pick<
    ServerSettings,
    | ("engine" | "otherEngines" | "environment" | "expected" | "allowInstall")
    | ("installWaitSeconds" | "pool" | "shell")
  >;
  install: StartInstall;
  /** Runs at a time. */
  turns?: Share;
  startPool: StartPool;
  /** Gives a time in milliseconds. */
  now?: () => number;
}

/** Time between two tries of an install that has failed, for code that needs none of it. */
const RETRY_MS = 60_000;

export type FindOptions = InstallWaiter & {
  dependencies?: string[] | undefined;
  /** The name of an engine; if absent, the server's first. */
  engine?: string | undefined;
  /** Whether Python without packages will do, if the server's could not be installed. */
  maybeBare?: boolean;
};

/** A pool, and the packages of its interpreters. */
export interface FoundPool {
  pool: Pool;
  environment: ServedEnvironment;
  /** Why it has not the packages that it should have. */
  lacks?: string | undefined;
}

type OwnPool = FoundPool & { engine: EngineProfile };

/** The pools, as sessions need them. */
export type Pools = Pick<ScriptPools, "find" | "maybeRefuse" | "environment">;

/**
 * Pools for code by the engine that it is for, and by the packages that its inline
 * metadata (PEP 723) asks for.
 */
export class ScriptPools {
  /** Called once the server's own packages are there, if they were not at its start. */
  onInstalled: () => void = () => {};

  /** Processes that have ended and are replaced, by cause. */
  readonly restarts: Record<EndCause, number> = {
    exited: 0,
    killed: 0,
    late: 0,
    retired: 0,
    broken: 0,
  };

  /** Interpreters that were rewound, or made anew in place of that, by cause. */
  readonly made: Partial<Record<Made, number>> = {};

  /** Runs at a time, and installs of calls. */
  readonly shares: InstallShares & { turns: Share };
  #installs: Installs;
  /** By environment, the last used one last. */
  #pools = new Map<string, FoundPool>();
  #wants: ScriptWants;
  #own: OwnPool | undefined;
  /** Python without packages, until the server's own are installed. */
  #bare: OwnPool | undefined;
  /** Ends the time in which no bare run has the install tried again. */
  #triedMs = -Infinity;
  /** Of the engines beside the first, by name. */
  #others = new Map<string, OwnPool>();
  /** Of the last install of its own packages, until another ends. */
  #failure: Unready | undefined;

  constructor(private options: ScriptPoolsOptions) {
    const { settings, install } = options;
    this.#wants = new ScriptWants(settings);
    const { environment, pool: { running, waiting } } = settings;
    const { turns = new Share(running) } = options;
    this.shares = {
      turns,
      installs: new Share(running + waiting),
      environments: new Share(MOST_ENVIRONMENTS),
    };
    const waitMs = settings.installWaitSeconds * 1000;
    const isHeld = (ended: InstallAnswer) => this.#isHeld(ended);
    this.#installs = new Installs(install, this.shares, waitMs, isHeld);
    if (environment) this.#startOwn(environment);
    else void this.#installs.install([]).then((ended) => this.#takeOwn(ended));
  }

  /** The server's own packages; undefined until they are installed. */
  get environment(): ServerSettings["environment"] {
    return this.#own?.environment;
  }

  /** Seconds until there may be a place for a run, if all are taken. */
  get retrySeconds(): number {
    return this.#own?.pool.retrySeconds ?? 1;
  }

  /** All pools together. */
  get status(): PoolStatus {
    const { used: waiting } = this.shares.installs.status;
    const sum = { ...NO_SANDBOXES, waiting };
    for (const { pool: { status } } of this.#all) {
      sum.preparing += status.preparing;
      sum.ready += status.ready;
      sum.busy += status.busy;
      sum.kept += status.kept;
      sum.waiting += status.waiting;
      sum.memoryMiB += status.memoryMiB;
    }
    return sum;
  }

  /** The calls that wait, by the thing that they wait for. */
  get waits(): Waits {
    const { used: packages } = this.shares.installs.status;
    const sum = { interpreter: 0, turn: 0, session: 0, packages };
    for (const { pool: { waits } } of this.#all) {
      sum.interpreter += waits.interpreter;
      sum.turn += waits.turn;
      sum.session += waits.session;
    }
    return sum;
  }

  get #all(): FoundPool[] {
    return [
      ...this.#own ? [this.#own] : this.#bare ? [this.#bare] : [],
      ...this.#others.values(),
      ...this.#pools.values(),
    ];
  }

  get installs(): Installs["ended"] {
    return this.#installs.ended;
  }

  /** Why calls cannot run; undefined if they can. */
  get unready(): Unready | undefined {
    return this.#own ? this.#own.pool.unready : this.#failure ??
      { state: "installing", reason: "Packages are being installed." };
  }

  /**
   * Finds the pool for code, installing what it asks for.
   *
   * @param options.dependencies Requirements beside those of its metadata.
   */
  async find(
    code: string,
    { dependencies = [], engine, maybeBare, ...waiter }: FindOptions = {},
  ): Promise<OrRefused<FoundPool>> {
    const openBare = () =>
      maybeBare && dependencies.length === 0
        ? this.#bareFor(code, engine)
        : undefined;
    let own: OrRefused<OwnPool> = openBare() ??
      await this.#openOwn(waiter, engine);
    // The install may have failed while the call waited for it.
    if (own.refused?.status === "install-error") own = openBare() ?? own;
    if (own.refused) return own;
    // Those beside the metadata are packages of the first engine.
    const more = own === this.#own ? dependencies : [];
    if (!this.#wants.mayBeIn(code) && more.length === 0) return own;
    const judged = await this.#wants.judge(code, own, more);
    if (judged.refused) return judged;
    if (judged.missing.length === 0) return own;
    return await this.#open(judged.missing, own, waiter);
  }

  /** Refuses code that asks for more than a session's environment has. */
  async maybeRefuse(
    code: string,
    environment: ServedEnvironment,
  ): Promise<RunResult | undefined> {
    if (!this.#wants.mayBeIn(code)) return undefined;
    const { engine } = this.options.settings;
    const { missing, refused } = await this.#wants.judge(code, {
      environment,
      engine,
    });
    if (refused) return refused;
    return missing.length > 0 ? refusal("denied", OTHER_PACKAGES) : undefined;
  }

  /** A pool that is there as long as the server, of the engine that is named. */
  async #openOwn(
    waiter: InstallWaiter,
    name: string | undefined,
  ): Promise<OrRefused<OwnPool>> {
    const { engine, otherEngines } = this.options.settings;
    const names = [engine, ...otherEngines].map((one) => one.name);
    if (name !== undefined && !names.includes(name)) {
      const reason = `Cannot run on the engine "${
        head(name, 100)
      }" as this server has only ${names.join(" and ")}.`;
      return { refused: refusal("denied", reason) };
    }
    const own: OrRefused<OwnPool> = this.#own ?? await this.#awaitOwn(waiter);
    return own.refused ? own : this.#others.get(name ?? "") ?? own;
  }

  async #awaitOwn(waiter: InstallWaiter): Promise<OrRefused<OwnPool>> {
    const { ended, refused } = await this.#installs.wait([], waiter);
    return ended ? this.#takeOwn(ended) : { refused };
  }

  /** Python without packages for code that needs none, while those of the server are not to be had. */
  #bareFor(code: string, engine: string | undefined): OwnPool | undefined {
    const { settings, now = () => performance.now() } = this.options;
    const isFirst = engine === undefined || engine === settings.engine.name;
    if (this.#own || !this.#bare || !isFirst) return undefined;
    if (this.#wants.mayBeIn(code) || mayImport(code, settings.expected)) {
      return undefined;
    }
    if (now() - this.#triedMs > RETRY_MS) {
      this.#triedMs = now();
      void this.#installs.install([]).then((ended) => this.#takeOwn(ended));
    }
    return this.#bare;
  }

  #takeOwn(answer: InstallAnswer): OrRefused<OwnPool> {
    if ("error" in answer) {
      const { error: lacks, bare } = answer;
      this.#failure = { state: "failed", reason: answer.error };
      if (bare && !this.#bare) {
        const { engine } = this.options.settings;
        this.#bare = { ...this.#start(bare, engine, true), lacks };
        this.#triedMs = this.options.now?.() ?? performance.now();
      }
      return { refused: refusal("install-error", answer.error) };
    }
    if (this.#own) return this.#own;
    const own = this.#startOwn(answer.installed);
    this.onInstalled();
    return own;
  }

  /** Starts the pools of all engines: no process may start before the install. */
  #startOwn(environment: ServedEnvironment): OwnPool {
    const { engine, otherEngines } = this.options.settings;
    this.#bare?.pool.close();
    this.#bare = undefined;
    this.#own = this.#start(environment, engine, true);
    for (const { python, ...other } of otherEngines) {
      const empty = { id: "", python, requested: [], packages: [] };
      this.#others.set(other.name, this.#start(empty, other, true));
    }
    return this.#own;
  }

  #start(
    environment: ServedEnvironment,
    engine: EngineProfile,
    isOwn: boolean,
  ): OwnPool {
    const options = {
      ...{ engine, isOwn },
      onReplaced: (cause: EndCause) => this.restarts[cause]++,
      onMade: (how: Made) => {
        this.made[how] = (this.made[how] ?? 0) + 1;
      },
    };
    const pool = this.options.startPool(environment, options);
    return { pool, environment, engine };
  }

  /** Whether a process has the environment, which no removal takes then. */
  #isHeld(answer: InstallAnswer): boolean {
    if ("error" in answer) return false;
    const { id } = answer.installed;
    // The launcher has the server's own.
    if (id === this.environment?.id) return true;
    const { pool } = this.#pools.get(id) ?? {};
    if (!pool) return false;
    const { preparing, ready, busy, kept } = pool.status;
    return preparing + ready + busy + kept > 0;
  }

  async #open(
    missing: string[],
    own: OwnPool,
    waiter: InstallWaiter,
  ): Promise<OrRefused<FoundPool>> {
    const texts = missing.map((text) => maybeNamed(text)?.text ?? text);
    const requirements = [...new Set(texts)].sort();
    const { ended, refused } = await this.#installs.wait(requirements, waiter);
    if (refused) return { refused };
    if ("error" in ended) {
      return { refused: refusal("install-error", ended.error) };
    }
    const { id } = ended.installed;
    this.#wants.noteInstalled(id, requirements);
    if (id === own.environment.id) return own;
    const found = this.#pools.get(id) ??
      this.#start(ended.installed, own.engine, false);
    // The pool that was used last is the last to go.
    this.#pools.delete(id);
    this.#pools.set(id, found);
    if (this.#pools.size > MOST_POOLS) {
      const [[oldest, unused] = []] = this.#pools;
      if (oldest !== undefined) this.#pools.delete(oldest);
      unused?.pool.close();
    }
    return found;
  }
}

const NO_SANDBOXES: PoolStatus = {
  ...{ preparing: 0, ready: 0, busy: 0, kept: 0, waiting: 0, memoryMiB: 0 },
};

const OTHER_PACKAGES =
  'This session has other packages than the code asks for, and can get no more. Open another session for the code with session "new".';
