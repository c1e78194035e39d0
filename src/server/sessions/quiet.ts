import type { TakePiece } from "../pool/pool.ts";

/** Runs that are under way, which work in the background leaves the machine to. */
export class Quiet {
  #running = 0;
  #quiet: PromiseWithResolvers<void> | undefined;

  /** A run begins, until the returned value is disposed. */
  enter(): Disposable {
    this.#running++;
    return {
      [Symbol.dispose]: () => {
        if (--this.#running > 0) return;
        this.#quiet?.resolve();
        this.#quiet = undefined;
      },
    };
  }

  /**
   * Takes pieces in their order, each once no run is under way and the one before it is
   * taken; those that are urgent at once.
   *
   * @param mostMs The longest that a piece waits for runs.
   */
  yielding(
    take: TakePiece,
    mostMs: number,
    isUrgent: () => boolean,
  ): TakePiece {
    let before: Promise<void> = Promise.resolve();
    return (piece) => {
      const begun = before.then(() =>
        isUrgent() ? undefined : this.wait(mostMs)
      );
      const taken = begun.then(() => take(piece));
      before = isUrgent() ? begun : taken;
      return taken;
    };
  }

  /** Waits until no run is under way, at most for so long. */
  async wait(mostMs: number): Promise<void> {
    if (this.#running === 0) return;
    const { promise } = this.#quiet ??= Promise.withResolvers();
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, mostMs);
    await Promise.race([promise, over]);
    clearTimeout(timer);
  }
}
