import type { Denied } from "../../grants/guest_grants.ts";
import type { ChangedEntry } from "../../protocol/downstream.ts";

/** A run of code mode, as its host calls see it. */
export interface CodeModeRun {
  /** Names of the servers that it may call. */
  servers: readonly string[];
  /** The client that saved functions, memory and artifacts belong to. */
  owner: string;
  /** Writes a line of the audit, with the run's id and its client. */
  audit(event: string, facts: Record<string, unknown>): void;
  /** Asks the client's user whether a tool may be called, or a server started. */
  approve(question: ApprovalQuestion, signal: AbortSignal): Promise<Approval>;
}

export type ApprovalQuestion =
  & (CallQuestion | StartQuestion | GrantQuestion)
  & {
    server: string;
    /** Of the server's entry: by the same name another program may stand there. */
    revision: string;
  };

interface CallQuestion {
  tool: string;
  /** An object, as JSON text. */
  arguments: string;
}

/** Whether a component may use what it was denied. */
interface GrantQuestion {
  tool?: never;
  changed?: never;
  grant: Denied;
}

/** Whether a server may start whose entry is another than at this program's start. */
interface StartQuestion {
  tool?: never;
  /** Where the entry was found, in words. */
  source: string;
  changed: ChangedEntry;
}

/** `unable`: the client cannot ask its user. */
export type Approval = "accepted" | "declined" | "unable";
