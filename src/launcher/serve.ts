import {
  PERMISSION_KINDS,
  type PermissionKind,
  PERMISSIONS,
} from "../grants/permissions.ts";
import {
  prepareServerInstalls,
  toServed,
} from "./installing/server_installs.ts";
import { Log } from "../protocol/log_lines.ts";
import { cachesOf } from "../environments/wanted_environment.ts";
import { refuseOwnFolders, toGrantedPlaces } from "../grants/policy.ts";
import { type BrokerOptions, runBroker } from "./broker.ts";
import type { Configurations } from "./downstream/configurations.ts";
import { toDownstream } from "./downstream/start_bridge.ts";
import { findProgram } from "./isolation.ts";
import { findComponentPlace } from "./components/start_component.ts";
import { bridgeKind, componentKind, keeperKind, sandboxKind } from "./kinds.ts";
import { openLog } from "./log_sink.ts";
import type { Prepared } from "./prepare.ts";
import {
  realPathOf,
  toListenPlaces,
  toScopePaths,
} from "./find_scope_paths.ts";
import { DENO_DIR } from "./program_files.ts";
import { messageOf, UserError } from "../errors.ts";
import { log as say, logError } from "../log.ts";
import { howEnded, kill, spawn } from "./spawn.ts";
import { type Reread, toReload } from "./reload.ts";
import { openKeepers } from "./keepers.ts";
import {
  findEngines,
  sandboxStarter,
  type ServedEngine,
} from "./start_sandbox.ts";
import { isFor, startServer } from "./start_server.ts";
import type { Shell } from "../protocol/run_setup.ts";
import {
  type HttpSettings,
  type Listening,
  MOST_POOLS,
  type PoolSizes,
  type ServerSettings,
  waitsMs,
} from "../protocol/server_settings.ts";
import { requestedName } from "../requirements/names.ts";
import { type Settings, settingsFor } from "../settings.ts";
import { HANGUP } from "../signals.ts";
import { VERSION } from "../version.ts";
import { TELEMETRY } from "./variables.ts";
import { toPoolSizes, toSessionTerms } from "./pool_sizes.ts";

/** The way to serve: to a client of MCP, or to programs. */
export interface ServeOptions extends Pick<BrokerOptions, "client" | "stop"> {
  /** Aborted if the server is to end without waiting for calls. */
  hurry?: AbortSignal;
  /** Whether the client's lines are those of programs, and not of MCP. */
  isForPrograms?: boolean;
  /** Takes the address of a server that clients reach over HTTP. */
  onListening?(listening: Listening): void;
  /** Undefined if the client is not on HTTP. */
  http?: HttpSettings;
  /** Reads the files of a server of HTTP again, at SIGHUP. */
  reread?: Reread;
  server?: Deno.ChildProcess | undefined;
  /** The shell that a single run is for. */
  shell?: Shell;
  /** The permissions that this process keeps, for other work. */
  keptPermissions?: readonly PermissionKind[];
  spawnSandbox?: typeof spawn;
}

/** Phase 2: starts the server, and serves as its broker until it ends. */
export async function serve(
  prepared: Prepared,
  {
    server,
    spawnSandbox = spawn,
    keptPermissions: keptByCommand = [],
    shell,
    http,
    reread,
    onListening,
    isForPrograms = false,
    hurry,
    ...options
  }: ServeOptions,
): Promise<Deno.CommandStatus> {
  const { settings, environment, wall } = prepared;
  const { inspect } = settings;
  const hasComponents = settings.components.length > 0 && !isForPrograms;
  const configurations = settings.codeMode || hasComponents
    ? await openServers(settings, http)
    : undefined;
  const hasFile = settings.logFile ?? settings.audit;
  const keptPermissions: PermissionKind[] = [
    ...keptByCommand,
    // It finds changed files of servers, and their programs; SIGHUP has it read on.
    ...configurations || reread ? ["read" as const] : [],
    ...reread && hasFile !== undefined ? ["write" as const] : [],
  ];
  const task = isForPrograms ? "programs" : http ? "http" : "stdio";
  if (server && (inspect === "server" || !isFor(server, task))) {
    // It was started before the command line was read: without a debugger, or
    // for the value of an option that is called as a command is.
    kill(server);
    server = undefined;
  }
  // The one run of a shell is of the first engine.
  const engines = await findEngines(
    shell ? { ...settings, otherEngines: [] } : settings,
  );
  const places = {
    ...toScopePaths(
      settings.cacheDir,
      engines.flatMap(({ runtime }) => runtime.places),
    ),
    ...toGrantedPlaces(settings),
    ...toListenPlaces(http),
  };
  if (settings.mounts.length > 0) {
    const { runtime, program } = places;
    const own = [...cachesOf(settings), ...runtime, ...program, DENO_DIR];
    const real = [...own, Deno.execPath()].map(realPathOf);
    refuseOwnFolders(settings.mounts, real, Deno.build);
  }
  refuseStore(settings);
  const program = findProgram("nice");
  const nice = isShared(settings, http) ? program : undefined;
  // No call waits for a save; a restore that waits for other work is rare.
  const keepers = openKeepers(
    settings,
    places,
    program ? [program, "-n", KEEPER_NICENESS] : [],
  );
  using log = openLog(settings.logFile, settings.mounts, "--log-file");
  using audit = settings.audit === undefined
    ? undefined
    : openLog(settings.audit, settings.mounts, "--audit");
  const forServer = toServerSettings(prepared, engines, {
    http,
    shell,
    hasComponents,
    audits: audit !== undefined,
    savesSessions: keepers.sessions !== undefined,
    serverName: settings.serverName ?? nameServer(),
  });
  const componentPlace = {
    ...await findComponentPlace(settings),
    ...{ wall, nice: nice ? [nice, "-n", NICENESS] : [] },
    ...(http ? { ownPort: http.port } : {}),
  };
  const downstream = configurations &&
    toDownstream(configurations, settings, componentPlace);
  const installs = await prepareServerInstalls(settings, {
    ownFolder: environment?.folder,
    async installOwn(report) {
      try {
        const installed = await prepared.install(report);
        await dropPermissions(keptPermissions);
        return installed;
      } catch (error) {
        logError(messageOf(error));
        throw error;
      }
    },
    async installBare() {
      const bare = await prepared.installBare();
      if (bare) await dropPermissions(keptPermissions);
      return bare;
    },
  });
  if (environment) await dropPermissions(keptPermissions);
  const startSandbox = sandboxStarter(engines, settings, {
    ...{ places, wall, installs, spawnSandbox },
    nice: nice ? [nice, "-n", NICENESS] : [],
    audits: audit !== undefined,
  });
  // Those of each pool and of the sessions, and as many that are about to end.
  const { ready, running } = forServer.pool;
  const pools = engines.length +
    (settings.allowInstall.length > 0 ? MOST_POOLS : 0);
  const kept = forServer.sessions ? forServer.maxSessions : 0;
  const most = 2 * (pools * Math.max(ready, running) + kept) + 1;
  const status = await runBroker({
    ...options,
    waitsForClient: isForPrograms,
    server: server ??
      startServer(task, { places, inspect: inspect === "server" }),
    // With these, it saves sessions, or waits for calls.
    endMs: keepers.sessions || http
      ? settings.saveAllSeconds * 1000 + (http ? waitsMs(http) : 0)
      : undefined,
    log: log.write,
    ...(audit ? { audit: audit.write } : {}),
    services: {
      install: ({ requirements }, onStep) =>
        installs.install(requirements, onStep),
      servers: () => downstream?.list() ?? [],
      // Its steps are what the user asks for; it has no answer.
      signals: (_, onStep) =>
        new Promise(() => {
          const tell = () => onStep({ hurry: true });
          if (hurry?.aborted) tell();
          hurry?.addEventListener("abort", tell);
          if (!reread || !http) return;
          const reload = toReload({
            ...{ settings, http, reread, log, audit, configurations },
            tell: (reloaded) => onStep({ reloaded }),
          });
          for (const signal of HANGUP) Deno.addSignalListener(signal, reload);
        }),
      // Written by the server from its own settings.
      listening({ outcome }) {
        const { url } = outcome as { url?: string };
        // The system has picked the port.
        if (url && http?.port === 0) {
          componentPlace.ownPort = Number(new URL(url).port);
        }
        return onListening?.(outcome as Listening);
      },
    },
    kinds: {
      sandbox: sandboxKind(most, startSandbox),
      keeper: keeperKind(keepers),
      ...(downstream
        ? {
          bridge: bridgeKind(downstream),
          component: componentKind(downstream),
        }
        : {}),
    },
    settings: forServer,
  });
  // On stderr, the command says it.
  if (settings.logFile && !status.success && !options.stop?.aborted) {
    const ended = howEnded(status);
    new Log(settings, log.write).write("error", "server", { ended });
  }
  return status;
}

/** This server, for callers of others that share its store. */
function nameServer(): string {
  const sys = { name: "sys", kind: "hostname" } as const;
  const isKnown = Deno.permissions.querySync(sys).state === "granted";
  const host = isKnown ? Deno.hostname() : "this machine";
  return `process ${Deno.pid} of ${host}`;
}

/** All that the server is told. */
function toServerSettings(
  { settings, environment }: Prepared,
  [, ...others]: readonly ServedEngine[],
  { shell, ...more }:
    & Pick<
      ServerSettings,
      "http" | "hasComponents" | "audits" | "savesSessions" | "serverName"
    >
    & { shell: Shell | undefined },
): ServerSettings {
  return {
    ...settingsFor("server", settings),
    mounts: settings.mounts
      .map(({ guest, isWritable }) => ({ guest, isWritable })),
    version: VERSION,
    engine: settings.engine.profile,
    otherEngines: others.map((
      { row, runtime: { version, python = version } },
    ) => ({
      ...row.profile,
      python,
    })),
    environment: environment && toServed(environment),
    expected: [
      ...settings.dependencies.map(requestedName),
      ...settings.locked ? ["the packages of a lock file"] : [],
    ],
    ...(shell ? { shell } : {}),
    pool: shell
      ? ONE_RUN
      : toPoolSizes(settings, isShared(settings, more.http)),
    ...toSessionTerms(settings),
    telemetry: "OTEL_DENO" in TELEMETRY,
    ...more,
  };
}

/** @throws {UserError} If sessions are to be stored, and the engine cannot save them. */
function refuseStore({ engine, sessionStore }: Settings): void {
  const { label, canSave } = engine.profile;
  if (canSave || sessionStore === undefined) return;
  throw new UserError(
    `Cannot use --session-store as no session of ${label} can be saved. Leave it out.`,
  );
}

/** The MCP servers that code may call. The parsers of their files load late. */
async function openServers(
  settings: Settings,
  http: HttpSettings | undefined,
): Promise<Configurations> {
  const { componentWarnings, openConfigurations } = await import(
    "./downstream/configurations.ts"
  );
  const { host, port, allowedHosts: names } = settings;
  const own = http ? { listens: { host, port, names } } : {};
  const opened = openConfigurations(settings, undefined, own);
  for (const warning of componentWarnings(opened.report())) {
    say(`warning: ${warning}`);
  }
  return opened;
}

function isShared(
  { callerHeader }: Settings,
  http: HttpSettings | undefined,
): boolean {
  const names = new Set(http?.tokens.map(({ name }) => name));
  return http !== undefined && (names.size > 1 ||
    http.oauth !== undefined || callerHeader !== undefined);
}

/**
 * Of Python beside the server, which answers all callers: else each of their messages
 * waits for code that computes. Python of one user is not slower than other programs.
 */
const NICENESS = "5";
const KEEPER_NICENESS = "10";

/** No sandbox is ready beside that of a prompt. */
const ONE_RUN: PoolSizes = { ready: 0, running: 1, waiting: 1 };

/**
 * Gives up every permission that the row of this process in the table does not name, but
 * for those that this process keeps for other work.
 */
export async function dropPermissions(
  kept: readonly PermissionKind[],
): Promise<void> {
  for (const name of PERMISSION_KINDS) {
    if (PERMISSIONS.launcher[name] || kept.includes(name)) continue;
    await Deno.permissions.revoke({ name });
  }
}
