import { CODE_MODE_BRIDGE } from "./code_mode_bridge.ts";
import { CHECKPOINTS } from "./checkpoints.ts";
import { CODE_MODE_CONFIG } from "./code_mode_config.ts";
import { CODE_MODE_STATE } from "./code_mode_state.ts";
import { CODE_MODE_CATALOG } from "./code_mode_catalog.ts";
import { CODE_MODE_PYTHON } from "./code_mode_python.ts";
import { CODE_MODE_CONTRACT } from "./code_mode_contract.ts";
import { CODE_MODE_SAFETY } from "./code_mode_safety.ts";
import { DOORS } from "./doors.ts";
import { FRAMES } from "./frames.ts";
import { HANDLES } from "./handles.ts";
import { HTTP_AUTH } from "./http_auth.ts";
import { HTTP_LOAD } from "./http_load.ts";
import { HTTP_PROTOCOL } from "./http_protocol.ts";
import { INSTALLING } from "./installing.ts";
import { LIBRARIES } from "./libraries.ts";
import { LIMITS } from "./limits.ts";
import { LINKING } from "./linking.ts";
import { LOGS } from "./logs.ts";
import { LOOKS_INTO_SESSIONS } from "./looks.ts";
import { MOUNTS } from "./mounts.ts";
import type { Mutation } from "./mutation.ts";
import { NETWORK } from "./network.ts";
import { OBSERVING } from "./observe.ts";
import { PAGE } from "./page.ts";
import { PERMISSIONS } from "./permissions.ts";
import { REQUESTS } from "./requests.ts";
import { SESSIONS } from "./sessions.ts";
import { SHARED_STATE } from "./shared_state.ts";
import { SHELL } from "./shell.ts";
import { SOURCES } from "./sources.ts";
import { STORE } from "./store.ts";
import { WORKSPACE } from "./workspace.ts";

/** Every mutation that `deno task mutate` tries. */
export const MUTATIONS: readonly Mutation[] = [
  ...CHECKPOINTS,
  ...CODE_MODE_CONFIG,
  ...CODE_MODE_PYTHON,
  ...PERMISSIONS,
  ...FRAMES,
  ...LIMITS,
  ...HTTP_LOAD,
  ...REQUESTS,
  ...NETWORK,
  ...SHARED_STATE,
  ...DOORS,
  ...WORKSPACE,
  ...MOUNTS,
  ...INSTALLING,
  ...LINKING,
  ...SOURCES,
  ...SHELL,
  ...LOGS,
  ...OBSERVING,
  ...PAGE,
  ...STORE,
  ...CODE_MODE_STATE,
  ...LOOKS_INTO_SESSIONS,
  ...HANDLES,
  ...SESSIONS,
  ...HTTP_AUTH,
  ...HTTP_PROTOCOL,
  ...LIBRARIES,
  ...CODE_MODE_CATALOG,
  ...CODE_MODE_CONTRACT,
  ...CODE_MODE_SAFETY,
  ...CODE_MODE_BRIDGE,
];
