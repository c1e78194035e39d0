/** Where progress is shown. */
export interface Screen {
  isTerminal: boolean;
  hasColors: boolean;
  size(): { columns: number; rows: number };
  write(text: string): void;
}

/** Draws bars below the lines that are written. */
export interface Bars extends Disposable {
  /** Writes lines above the bars. */
  log(text: string): void;
  /** Shows a download's state. */
  show(download: Download): void;
  /** Takes its bar away. */
  remove(file: string): void;
}

/** A download that goes on. */
export interface Download {
  file: string;
  received: number;
  total?: number;
  /** Times by the clock, in ms. */
  started: number;
  now: number;
}
