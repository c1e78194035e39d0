import type { ServerEntry, WasmEntry } from "../../../protocol/downstream.ts";
import { VERSION } from "../../../version.ts";
import { readComponent } from "../../components/read_component.ts";
import { Unusable } from "../client_formats/format.ts";
import type { Written } from "../client_formats/judge.ts";
import { toAbsolute } from "../client_formats/variables.ts";

export const WASM: Written = {
  types: ["wasm"],
  read({ wasm, sha256, policy }, { fill, place }) {
    if (wasm === undefined) return undefined;
    const toText = (value: unknown, key: string) => {
      if (typeof value === "string" && value !== "") return fill(value);
      throw new Unusable(`its ${key} is not a text`);
    };
    const isPinned = sha256 !== undefined;
    const hasPolicy = policy !== undefined;
    const { entry } = readComponent({
      file: toAbsolute(toText(wasm, "wasm"), place),
      ...isPinned && { sha256: toText(sha256, "sha256").toLowerCase() },
      ...hasPolicy && { policy: toAbsolute(toText(policy, "policy"), place) },
    }, place);
    return entry;
  },
};

/** A component, as the launcher treats it. */
export function ofWasm(entry: ServerEntry & WasmEntry) {
  const { file, sha256, policy, grants } = entry;
  const { variables, ...rest } = grants;
  const names = Object.keys(variables).sort();
  return {
    shown: () => file,
    starts: () => ({ wasm: file, sha256, ...policy && { policy } }),
    cwd: undefined,
    // Its tools are what this program makes of its functions.
    identity: [sha256, rest, names, VERSION],
    secrets: { kind: "variables", values: { ...variables } } as const,
    isOwn: () => false,
    takes: () => [
      { what: "its component", path: file, mayHold: false },
      ...policy === undefined
        ? []
        : [{ what: "its policy", path: policy, mayHold: false }],
    ],
    withoutFolders: () => entry,
    place: () => ({ entry, places: {} }),
  };
}
