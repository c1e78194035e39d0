import { concat } from "../protocol/lines.ts";

/** The last bytes of a stream. */
export class Tail {
  #kept: Uint8Array<ArrayBuffer> = new Uint8Array();

  constructor(private readonly most: number) {}

  push(bytes: Uint8Array<ArrayBuffer>): void {
    this.#kept = concat([this.#kept, bytes.subarray(-this.most)])
      .slice(-this.most);
  }

  get text(): string {
    return new TextDecoder().decode(this.#kept).trim();
  }
}
