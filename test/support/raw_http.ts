const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A connection on which a test says any bytes. */
export interface RawConnection extends Disposable {
  send(text: string): Promise<void>;
  /** Reads until the text has come, or to the end of the connection. */
  readUntil(text: string): Promise<string>;
  /** Reads to the end of the connection. */
  readAll(): Promise<string>;
}

export async function connectRaw(url: URL): Promise<RawConnection> {
  const { hostname, port } = url;
  const socket = await Deno.connect({ hostname, port: Number(port) });
  const piece = new Uint8Array(65_536);
  let all = "";
  const readUntil = async (text: string) => {
    while (!all.includes(text)) {
      const size = await socket.read(piece).catch(() => null);
      if (size === null) break;
      all += decoder.decode(piece.subarray(0, size));
    }
    return all;
  };
  return {
    async send(text) {
      let bytes = encoder.encode(text);
      while (bytes.length > 0) {
        bytes = bytes.subarray(await socket.write(bytes));
      }
    },
    readUntil,
    readAll: () => readUntil("\0"),
    [Symbol.dispose]: () => socket.close(),
  };
}

/** Sends bytes, and gives all that comes until the server ends the connection. */
export async function exchangeRaw(url: URL, text: string): Promise<string> {
  using connection = await connectRaw(url);
  // The server may answer, and close, before it has all.
  await connection.send(text).catch(() => {});
  return await connection.readAll();
}
