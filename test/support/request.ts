import { ENGINE } from "../../src/engines/index.ts";
import type { RunRequest } from "../../src/protocol/run_messages.ts";
import type { RunSetup } from "../../src/protocol/run_setup.ts";
import type { ServerSettings } from "../../src/protocol/server_settings.ts";
import { DEFAULTS } from "../../src/settings.ts";

/** A run with time enough. */
export const REQUEST: RunRequest = {
  code: "1",
  globals: "{}",
  timeoutMs: 60_000,
};

/** Small bounds for all runs. */
export const SETUP: RunSetup = {
  maxOutput: 1000,
  hostCalls: { count: 10, size: 1000, timeoutMs: 60_000 },
  images: { count: 2, size: 1000, total: 1500 },
  pages: { count: 2, size: 1000, total: 1500 },
  files: { bytes: 1000, count: 10 },
  installable: [],
  variables: {},
};

/** The settings of a server that grants nothing and has no package. */
export const SERVER_SETTINGS: ServerSettings = {
  ...DEFAULTS,
  ...{ allowInstall: [], allowNet: [], mounts: [], variables: {} },
  version: "1",
  environment: { id: "", python: "3.14.2", requested: [], packages: [] },
  expected: [],
  ...{ engine: ENGINE.profile, otherEngines: [] },
  pool: { ready: 1, running: 1, waiting: 1 },
  ...{ sessions: true, stateful: false },
  ...{ lostSessions: "fresh", maxSessions: 16, maxSessionsMiB: 1000 },
};
