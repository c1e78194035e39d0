/** What is told of an install while it goes on. */
export type InstallEvent =
  /** What is being done now, a sentence without a full stop. */
  | { type: "step"; text: string }
  /** What did not go as wished; the install goes on. */
  | { type: "warning"; text: string }
  /** How far a download is, in bytes; told often. */
  | { type: "download"; file: string; received: number; total?: number }
  /** A download is complete and verified. */
  | { type: "downloaded"; file: string; size: number };

/** Does an install whose events are shown until it ends. */
export type ShowInstall = <T>(
  work: (report: (event: InstallEvent) => void) => Promise<T>,
) => Promise<T>;
