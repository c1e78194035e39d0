/** A run of code mode, as its host calls see it. */
export interface CodeModeRun {
  /** Names of the servers that it may call. */
  servers: readonly string[];
  /** The client that saved functions, memory and artifacts belong to. */
  owner: string;
  /** Writes a line of the audit, with the run's id and its client. */
  audit(event: string, facts: Record<string, unknown>): void;
  /** Asks the client's user whether a tool may be called. */
  approve(question: ApprovalQuestion, signal: AbortSignal): Promise<Approval>;
}

export interface ApprovalQuestion {
  server: string;
  /** Of the server's entry: by the same name another program may stand there. */
  revision: string;
  tool: string;
  /** An object, as JSON text. */
  arguments: string;
}

/** `unable`: the client cannot ask its user. */
export type Approval = "accepted" | "declined" | "unable";
