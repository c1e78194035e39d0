import type { EngineRow } from "../../engines/engine.ts";
import { memoryWall } from "../memory_wall.ts";
import { howEnded, kill, spawn, type SpawnOptions } from "../spawn.ts";
import type {
  PreloaderSaid,
  PreloadOrder,
} from "../../environments/phase_1/messages.ts";

/** Memory of a preloader beside Python's; V8's heap may take half of it. */
const PRELOADER_MIB = 2048;

/** Memory of a preloader in all: Python takes up to 4 GiB while it imports. */
const LARGEST_MIB = 4096 + PRELOADER_MIB;

/** Much more than all imports of an install take. */
const LONGEST_MS = 30 * 60_000;

export interface PreloaderOptions
  extends Pick<SpawnOptions, "places" | "wall" | "logs"> {
  engine: EngineRow;
  limitMs?: number | undefined;
}

export interface PreloadCustomer {
  /** Takes a packet: see `readPreloadResult()`. */
  send(said: PreloaderSaid, piece?: Uint8Array): void;
  /** Settles when the installer ends, which ends the preloader, too. */
  ended: Promise<unknown>;
}

/**
 * Starts a preloader process, and hands on its output unread: a package can have
 * changed it, so the installer reads it.
 */
export async function runPreloader(
  order: PreloadOrder<unknown>,
  { send, ended }: PreloadCustomer,
  { engine, limitMs = LONGEST_MS, ...options }: PreloaderOptions,
): Promise<void> {
  const process = spawn("preloader", {
    ...options,
    wall: [
      ...memoryWall(engine.mappedMiB + LARGEST_MIB, order.environment),
      ...options.wall ?? [],
    ],
    argument: order,
    flags: engine.flags(PRELOADER_MIB),
  });
  ended.then(() => kill(process));
  let late = "";
  const timer = setTimeout(() => {
    late = `it took more than ${limitMs / 1000} s`;
    kill(process);
  }, limitMs);
  try {
    for await (const piece of process.stdout) send({}, piece);
    const status = await process.status;
    send({ ended: late || howEnded(status) });
  } finally {
    clearTimeout(timer);
  }
}
