import type { ListedServer, ServerEntry } from "../../protocol/downstream.ts";

/** The downstream servers that are configured now. */
export interface Configurations {
  /** All of them, in the order of their sources; looks for changed files. */
  list(): ListedServer[];
  find(name: string): ServerEntry | undefined;
}
