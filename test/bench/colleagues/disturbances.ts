import { log } from "../../../src/log.ts";
import { maybeRead } from "../../support/proc.ts";
import {
  killFamily,
  processesNamed,
  whichOutlive,
} from "../../support/processes.ts";
import type { HttpServer } from "../../support/http_server.ts";
import type { Random } from "../soak/random.ts";
import { maybeSignal } from "../soak/soak.ts";
import { toTime } from "../units.ts";
import type { Faults } from "./faults.ts";
import type { Fleet, Member } from "./fleet.ts";
import type { Tokens } from "./tokens.ts";

type Up = Member & { server: HttpServer };

/** Something that an operator, or bad luck, does to a server. */
interface Disturbance {
  name: string;
  /** Whether runs since the last save may be lost. */
  mayLose: boolean;
  /** Does it, and has the server serve again. */
  make(member: Up, at: Disturber): unknown;
}

/** A stop that other servers do not take for death, and one that they do. */
const SHORT_STOP_MS = 3000;
const LONG_STOP_MS = 13_000;
/** Time in which a server serves again after each disturbance; a hang is longer. */
const SERVED_WITHIN_MS = 120_000;

/** All disturbances; a schedule has each of them before it has one again. */
export const DISTURBANCES: readonly Disturbance[] = [
  {
    name: "a sandbox process is killed",
    mayLose: true,
    make: (member, at) => at.killOne(member, "sandbox"),
  },
  {
    name: "a store process is killed",
    mayLose: false,
    make: (member, at) => at.killOne(member, "keeper"),
  },
  {
    name: "a server and all its processes are killed",
    mayLose: true,
    make: (member, at) => at.again(member, () => killFamily(member.server.pid)),
  },
  {
    name: "a launcher is killed",
    mayLose: true,
    make: (member, at) =>
      at.again(member, () => void maybeSignal(member.server.pid, "SIGKILL")),
  },
  {
    name: "a server process is killed",
    mayLose: true,
    make: (member, at) => at.again(member, () => at.killOne(member, "server")),
  },
  {
    name: `a server stands still for ${SHORT_STOP_MS / 1000} s`,
    mayLose: false,
    make: (member, at) => at.stop(member, SHORT_STOP_MS),
  },
  {
    name: `a server stands still for ${LONG_STOP_MS / 1000} s`,
    mayLose: true,
    make: (member, at) => at.stop(member, LONG_STOP_MS),
  },
  {
    name: "SIGTERM, and a new start",
    mayLose: false,
    async make(member, at) {
      const ended = await at.again(
        member,
        () => void maybeSignal(member.server.pid, "SIGTERM"),
      );
      if (ended !== 0) {
        at.wrong.push(`SIGTERM ended a server with code ${ended}`);
      }
    },
  },
  {
    name: "SIGHUP, and new tokens for all callers",
    mayLose: false,
    make: (_, { tokens, fleet }) => tokens.rotate(fleet),
  },
];

/** What came of the disturbances of a kind. */
export interface Disturbed {
  count: number;
  /** Times until a new call was answered right by the server. */
  servedMs: number[];
}

/** Disturbs the servers of a fleet, one after another. */
export class Disturber {
  readonly disturbed: Map<string, Disturbed> = new Map(
    DISTURBANCES.map(({ name }) => [name, { count: 0, servedMs: [] }]),
  );
  readonly wrong: string[] = [];
  /** Processes that stood still when their launcher was gone. */
  woken = 0;

  constructor(
    readonly fleet: Fleet,
    private more: { random: Random; faults: Faults; tokens: Tokens },
  ) {}

  get tokens(): Tokens {
    return this.more.tokens;
  }

  /**
   * Goes through all disturbances in a random order, again and again.
   *
   * @param pauseMs Between two of them.
   * @param goesOn Whether there is another one, after each was there once.
   */
  async disturb(pauseMs: number, goesOn: () => boolean): Promise<void> {
    for (let round = 0; round === 0 || goesOn(); round++) {
      const left = [...DISTURBANCES];
      while (left.length > 0 && (round === 0 || goesOn())) {
        await pause(pauseMs);
        const one = this.more.random.pick(left);
        if (!one) return;
        left.splice(left.indexOf(one), 1);
        await this.#make(one);
      }
    }
  }

  async #make({ name, mayLose, make }: Disturbance): Promise<void> {
    const member = this.more.random.pick(this.fleet.up);
    if (!member) throw new Error("No server is there");
    this.fleet.family(member.server);
    const fault = mayLose ? this.more.faults.begin(name) : undefined;
    const before = performance.now();
    await make(member, this);
    if (fault) fault.until = performance.now();
    const watch = this.fleet.watch(member);
    const made = watch.since - before;
    const late = setTimeout(
      () => watch.served.resolve(Infinity),
      SERVED_WITHIN_MS,
    );
    const servedMs = await watch.served.promise;
    clearTimeout(late);
    if (servedMs === Infinity) {
      this.wrong.push(`${member.name} does not serve after this: ${name}`);
    }
    log(
      `${name}: ${member.name} served again after ${toTime(made + servedMs)}`,
    );
    const disturbed = this.disturbed.get(name);
    disturbed?.servedMs.push(made + servedMs);
    if (disturbed) disturbed.count++;
  }

  killOne({ server }: Up, name: string): void {
    const pid = this.more.random.pick(processesNamed(name, server.pid));
    if (pid !== undefined) maybeSignal(pid, "SIGKILL");
  }

  /** Ends a server in some way, and starts it again; gives the code of its end. */
  async again(up: Up, end: () => void): Promise<number> {
    const { server } = up;
    const member: Member = up;
    const { fleet } = this;
    const family = fleet.family(server);
    end();
    // A sandbox that stands still for its caller does not see the end of its launcher.
    await whichOutlive([server.pid]);
    for (const pid of family) {
      if (standsStill(pid) && maybeSignal(pid, "SIGCONT")) this.woken++;
    }
    const { code } = await server.ended;
    member.server = undefined;
    await fleet.start(member);
    return code;
  }

  async stop({ server }: Up, ms: number): Promise<void> {
    const family = this.fleet.family(server);
    for (const pid of family) maybeSignal(pid, "SIGSTOP");
    await pause(ms);
    for (const pid of family) maybeSignal(pid, "SIGCONT");
  }
}

function standsStill(pid: number): boolean {
  return /\) T /.test(maybeRead(`/proc/${pid}/stat`) ?? "");
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
