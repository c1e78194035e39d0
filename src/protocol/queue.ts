/** Items in the order they came, for one reader that may wait for the next. */
export class Queue<T> {
  #items: T[] = [];
  #wake = () => {};

  push(item: T): void {
    this.#items.push(item);
    this.#wake();
  }

  /** Takes the oldest item, as soon as there is one. */
  async next(): Promise<T> {
    while (true) {
      const item = this.#items.shift();
      if (item !== undefined) return item;
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }
}
