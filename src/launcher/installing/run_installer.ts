import { installerEnded } from "../../requirements/install_errors.ts";
import { UserError } from "../../errors.ts";
import type { Installed } from "../../protocol/server_settings.ts";
import { cannotRun } from "../../engines/shared/cannot_run.ts";
import { howEnded, kill, spawn } from "../spawn.ts";
import { findWall, type Wall } from "../isolation.ts";
import { INSTALLER_LINE } from "../../protocol/bounds.ts";
import { readLines } from "../../protocol/lines.ts";
import { encodePacket } from "../../protocol/packets.ts";
import type { Settings } from "../../settings.ts";
import { requestBeside, type Wanted } from "./request_id.ts";
import { isEnvironmentOf } from "../../environments/wanted_environment.ts";
import type {
  FromInstaller,
  InstallEvent,
} from "../../environments/phase_1/messages.ts";
import { type GrantedOrder, toInstallOrder } from "./install_order.ts";
import { runPreloader } from "./run_preloader.ts";

/** Much longer than the network, or another install, may keep an installer silent. */
const LONGEST_SILENCE_MS = 10 * 60_000;
/**
 * To choose packages takes too little time to win back what V8's optimizing
 * compiler of WebAssembly costs; to unpack and compile them takes enough.
 */
const QUICK = ["--v8-flags=--no-wasm-tier-up,--no-wasm-dynamic-tiering"];
/** As in a sandbox process: see `flags()` of the engine's row. */
const THOROUGH = ["--v8-flags=--no-wasm-deopt"];
const decoder = new TextDecoder();

export type InstallSettings =
  & Wanted
  & Pick<Settings, "offline" | "logLevel" | "isolation">;

/** An environment, a plan or sources, by the task of the order. */
export type InstallerAnswer = Extract<FromInstaller, { type: "done" }>;

export interface InstallerOptions
  extends Pick<Settings, "engine" | "logLevel"> {
  wall?: Wall | undefined;
  /** Time of silence after which the installer is ended. */
  silenceMs?: number;
  preloadMs?: number;
}

/**
 * Has an installer do its task, and gives the answer.
 *
 * @throws {UserError} If the installer fails.
 */
export async function runInstaller(
  { order, places }: GrantedOrder,
  { engine, logLevel, wall, silenceMs = LONGEST_SILENCE_MS, preloadMs }:
    InstallerOptions,
  report: (event: InstallEvent) => void,
): Promise<InstallerAnswer> {
  const { parseFromInstaller } = await import(
    "../../environments/phase_1/messages.ts"
  );
  const isVerbose = logLevel === "debug";
  const process = startInstaller({ order, places }, isVerbose);
  // Other users of the machine could read an argument.
  const stdin = process.stdin.getWriter();
  const send = (message: object, body?: Uint8Array<ArrayBuffer>) => {
    for (const piece of encodePacket(message, body)) {
      stdin.write(piece).catch(() => {});
    }
  };
  send(order);
  let hung = "";
  const onSilence = () => {
    hung = `said nothing for ${silenceMs / 1000} s and `;
    kill(process);
  };
  let silence = setTimeout(onSilence, silenceMs);
  try {
    for await (const line of readLines(process.stdout, INSTALLER_LINE)) {
      // The installer is silent while the launcher runs a preloader for it.
      clearTimeout(silence);
      const message = parseFromInstaller(decoder.decode(line));
      if (message.type === "error") {
        const text = withReason(message.message, order.requirements);
        throw new UserError(text, message.exitCode);
      }
      if (message.type === "done") return message;
      if (message.type === "event") report(message.event);
      if (message.type === "preload") {
        const wanted = { ...message.wanted, runtime: order.runtime };
        const itsPlaces = { ...places, environment: [wanted.environment] };
        await runPreloader(wanted, { send, ended: process.status }, {
          places: itsPlaces,
          wall: wall?.(itsPlaces),
          logs: isVerbose,
          engine,
          limitMs: preloadMs,
        });
      }
      silence = setTimeout(onSilence, silenceMs);
    }
    const how = howEnded(await process.status);
    throw new UserError(installerEnded(`${hung}ended (${how})`));
  } finally {
    clearTimeout(silence);
    kill(process);
  }
}

/** Adds why a package that cannot be installed could not run here, if that is known. */
function withReason(message: string, requirements: readonly string[]): string {
  const reasons = requirements.flatMap((text) => {
    const [name = ""] = /^[\w.-]+/.exec(text) ?? [];
    const reason = cannotRun(name);
    return reason && message.includes(`"${name}`) ? [reason] : [];
  });
  return [message, ...reasons].join(" ");
}

/** Starts an installer, which waits for its order. */
export function startInstaller(
  { order, places }: GrantedOrder,
  logs: boolean,
): Deno.ChildProcess {
  const flags = order.task === "install" ? THOROUGH : QUICK;
  const name = order.offline ? "offlineInstaller" : "installer";
  return spawn(name, { places, flags, logs });
}

/**
 * Installs an environment.
 *
 * @throws {UserError} If the installer fails.
 */
export async function runInstall(
  granted: GrantedOrder,
  options: InstallerOptions,
  report: (event: InstallEvent) => void,
): Promise<Installed> {
  const { installed } = await runInstaller(granted, options, report);
  // A sandbox process may read the folder that the installer names.
  if (installed && isEnvironmentOf(granted.order, installed.folder)) {
    return installed;
  }
  throw new Error(`${installed?.folder} is not an environment of the cache`);
}

/**
 * Reads this machine now, for installs of more packages beside those of the
 * settings, at a time when this process may only start other processes.
 */
export async function prepareInstaller(settings: InstallSettings) {
  const { order, places } = await toInstallOrder("install", settings);
  const wall = await findWall(settings.isolation);
  await import("../../environments/phase_1/messages.ts");
  const options = { ...settings, wall };
  return (more: string[], report: (event: InstallEvent) => void) => {
    const request = requestBeside(order, more);
    const requirements = [...order.requirements, ...more];
    const whole = { ...order, request, requirements };
    return runInstall({ order: whole, places }, options, report);
  };
}
