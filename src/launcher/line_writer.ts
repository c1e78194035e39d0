/** Writes whole lines in order; false once the reader is gone. */
export interface LineWriter {
  (line: Uint8Array<ArrayBuffer>): Promise<boolean>;
  close(): Promise<void>;
}

export function lineWriter(
  stream: WritableStream<Uint8Array<ArrayBuffer>>,
): LineWriter {
  const writer = stream.getWriter();
  writer.closed.catch(() => {});
  return Object.assign(
    (line: Uint8Array<ArrayBuffer>) =>
      writer.write(line).then(() => true, () => false),
    { close: () => writer.close().catch(() => {}) },
  );
}
