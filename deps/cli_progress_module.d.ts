// What this program uses of cli-progress; `@types/cli-progress` would bring all
// of Node's types with it.

/** Several bars, one below the other. */
export class MultiBar<Payload> {
  constructor(options: {
    stream: { isTTY: boolean; columns: number; write(text: string): boolean };
    forceRedraw: boolean;
    clearOnComplete: boolean;
    gracefulExit: boolean;
    hideCursor: boolean;
    linewrap: boolean;
    fps: number;
    format: (options: unknown, parameters: unknown, payload: Payload) => string;
  });
  create(total: number, startValue: number, payload: Payload): SingleBar;
  remove(bar: SingleBar): boolean;
  /** Writes text, with its line's end, above the bars when next drawn. */
  log(text: string): void;
  /** Draws now. */
  update(): void;
  stop(): void;
  on(event: "update-post", listener: () => void): void;
}

/** One of them. */
export interface SingleBar {
  readonly isActive: boolean;
}
