import { reasonOf, unhintedMessageOf, UserError } from "../../errors.ts";
import { NOTHING_GRANTED } from "../../grants/guest_grants.ts";
import {
  type ReadPolicy,
  readPolicyFile,
} from "../../grants/policy_file/read_policy.ts";
import type { WasmEntry } from "../../protocol/downstream.ts";
import type { ComponentOption } from "../../settings/component_option.ts";
import {
  type FilePlace,
  type FoundServer,
  Unusable,
} from "../downstream/client_formats/format.ts";
import type { Source } from "../downstream/source.ts";

/** The client of components that the command line names, in lists of servers. */
export const BY_OPTION = "--wasm";

/** All components of `--wasm`, as a source of servers; undefined without one. */
export function maybeComponentSource(
  components: readonly ComponentOption[],
): Source | undefined {
  if (components.length === 0) return undefined;
  return {
    client: BY_OPTION,
    path: BY_OPTION,
    isNamed: false,
    format: (_text, place) =>
      components.map((option) => toFound(option, place)),
    hasNoText: true,
  };
}

function toFound(option: ComponentOption, place: FilePlace): FoundServer {
  const { name, file } = option;
  try {
    const { entry, notes } = readComponent(option, place);
    return { entry: { name, source: BY_OPTION, ...entry }, notes };
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    const { message: reason, remedy } = error;
    const skipped = { name, source: file, reason };
    return remedy === undefined ? skipped : { ...skipped, remedy };
  }
}

/**
 * Reads the file of a component and its policy.
 *
 * @throws {Unusable} If a file cannot be read, its bytes are not those that the user
 * pins, or the policy is wrong.
 */
export function readComponent(
  { file, sha256: pinned, policy }: Omit<ComponentOption, "name">,
  place: FilePlace,
): { entry: WasmEntry; notes: string[] } {
  const sha256 = hash(file, place);
  if (pinned !== undefined && pinned !== sha256) {
    throw new Unusable(
      `the SHA-256 of "${file}" is ${sha256}, and not ${pinned}, which its entry pins`,
      "If you trust the new file, pin its hash.",
    );
  }
  const { grants, warnings } = policy === undefined
    ? { grants: NOTHING_GRANTED, warnings: [] }
    : read(policy, place);
  const isNamed = policy === undefined ? {} : { policy };
  const entry = {
    transport: "wasm",
    file,
    sha256,
    ...isNamed,
    grants,
  } as const;
  return { entry, notes: warnings };
}

function hash(file: string, { hashFile }: FilePlace): string {
  try {
    return hashFile(file);
  } catch (error) {
    throw new Unusable(
      `its file "${file}" cannot be read: ${reasonOf(error)}`,
      "Name the file of a WebAssembly component.",
    );
  }
}

function read(file: string, place: FilePlace): ReadPolicy {
  try {
    return readPolicyFile(file, place);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new Unusable(`its policy is refused: ${unhintedMessageOf(error)}`);
  }
}
