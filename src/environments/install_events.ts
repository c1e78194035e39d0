/** An event of an install that goes on. */
export type InstallEvent =
  /** The step that begins now, a sentence without a full stop. */
  | { type: "step"; text: string }
  /** A trouble that does not end the install. */
  | { type: "warning"; text: string }
  /** Files that will be downloaded, with their sizes as far as an index names them. */
  | { type: "downloads"; files: { file: string; size?: number }[] }
  /** How far a download is, in bytes; told often. */
  | { type: "download"; file: string; received: number; total?: number }
  /** A download is complete and verified. */
  | { type: "downloaded"; file: string; size: number };

/** Does an install, and shows its events until it ends. */
export type ShowInstall = <T>(
  work: (report: (event: InstallEvent) => void) => Promise<T>,
) => Promise<T>;
