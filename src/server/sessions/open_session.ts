import type { RunResult } from "../../protocol/run_result.ts";
import { refusal } from "../pool/installs.ts";
import type { Pool, SessionOptions } from "../pool/pool.ts";
import type { ScriptPools } from "../pool/script_pools.ts";
import { copyPieces } from "./copy_pieces.ts";
import type { OpenedSession, SessionCall } from "./session_life.ts";
import type { StoredSession } from "./saved_sessions.ts";

type Pools = Pick<ScriptPools, "find">;

/** Opens a session with the packages that its first code asks for. */
export async function openFor(
  code: string,
  pools: Pools,
  call: SessionCall,
): Promise<OpenedSession | RunResult> {
  const pool = await pools.find(code, call.waiter);
  return "run" in pool ? await openIn(pool, call) : pool;
}

/** Opens a session that was saved. */
export async function openSaved(
  { pieces }: StoredSession,
  pools: Pools,
  fork = false,
): Promise<OpenedSession | RunResult> {
  const pool = await pools.find("");
  return "run" in pool ? await openIn(pool, { from: { pieces, fork } }) : pool;
}

/** Opens a copy of a session; the refusal of a copy has the reasons. */
export async function openCopy(
  { pool, session }: OpenedSession,
): Promise<OpenedSession | RunResult> {
  const { pieces, reasons } = copyPieces(session);
  const opened = await openIn(pool, { from: { pieces, fork: true } });
  return reasons.length > 0
    ? refusal("invalid-arguments", reasons.join("; "))
    : opened;
}

async function openIn(
  pool: Pool,
  options: SessionOptions,
): Promise<OpenedSession | RunResult> {
  const session = await pool.open(options);
  return "run" in session ? { pool, session } : session;
}
