import type { Format } from "./client_formats/format.ts";

/** A file, or a folder of `*.json`, that may name servers. */
export interface Source {
  /** The program whose file it is. */
  client: string;
  /** Absolute. */
  path: string;
  format: Format;
  /** The folder that relative paths in it start at; that of the file if absent. */
  folder?: string;
  /** Whether the user names it, so that it must be there. */
  isNamed: boolean;
  /** Set if there is no file: its format reads all that it needs by itself. */
  hasNoText?: true;
}
