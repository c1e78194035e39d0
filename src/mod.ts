/**
 * Runs Python that a language model wrote, safely: what the command is made of.
 *
 * @module
 */
export {
  DEFAULTS,
  type Isolation,
  type Limits,
  type PackageSettings,
  type ReturnMode,
  type Settings,
} from "./settings.ts";
export type { ScopePaths } from "./grants/scope_paths.ts";
export { EXIT, UserError } from "./errors.ts";
export { toDenoFlags } from "./launcher/flags.ts";
export {
  PERMISSION_KINDS,
  type PermissionKind,
  PERMISSIONS,
  type Permissions,
  type ProcessName,
  type Scope,
} from "./grants/permissions.ts";
export type { ImageType } from "./protocol/displays.ts";
export type { Mount } from "./grants/mounts.ts";
export type { RunFile } from "./protocol/run_files.ts";
export type {
  Image,
  Json,
  ListedFile,
  Outcome,
  RunResult,
  Status,
  Truncated,
} from "./protocol/run_result.ts";
