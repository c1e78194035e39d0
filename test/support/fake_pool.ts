import type { ServedEnvironment } from "../../src/protocol/server_settings.ts";
import type { Pool } from "../../src/server/pool/pool.ts";
import type { Pools } from "../../src/server/pool/script_pools.ts";

export const ENVIRONMENT: ServedEnvironment = {
  ...{ id: "own", python: "3.14.2", requested: [], packages: [] },
};

/** A pool that runs nothing but what it is given. */
export function fakePool(some: Partial<Pool> = {}): Pool {
  const refuse = () => Promise.reject(new TypeError("This pool does not run"));
  return {
    ...{ run: refuse, open: refuse, unready: undefined, retrySeconds: 1 },
    status: {
      ...{ preparing: 0, ready: 0, busy: 0, kept: 0, waiting: 0, memoryMiB: 0 },
    },
    waits: { interpreter: 0, turn: 0, session: 0 },
    close() {},
    ...some,
  };
}

/** Pools of which there is one. */
export function fakePools(pool: Pool): Pools {
  return {
    environment: ENVIRONMENT,
    find: () => Promise.resolve({ pool, environment: ENVIRONMENT }),
    maybeRefuse: () => Promise.resolve(undefined),
  };
}
