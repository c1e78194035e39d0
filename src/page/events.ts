/** Reads the data of each event of a server's event stream. */
export async function* readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of chunks(body.pipeThrough(new TextDecoderStream()))) {
    // A lone CR at the end may be half of a line's end.
    const [text, half] = (rest + piece).split(/(\r$)/);
    const events = (text ?? "").replaceAll(/\r\n?/g, "\n").split("\n\n");
    rest = (events.pop() ?? "") + (half ?? "");
    for (const event of events) {
      const lines = event.split("\n").filter((line) =>
        line.startsWith("data:")
      );
      const data = lines.map((line) => line.slice(5).replace(/^ /, ""));
      if (data.length > 0) yield data.join("\n");
    }
  }
}

/** Streams are not iterable in all browsers. */
async function* chunks<T>(stream: ReadableStream<T>): AsyncGenerator<T> {
  const reader = stream.getReader();
  try {
    for (let next; !(next = await reader.read()).done;) yield next.value;
  } finally {
    reader.cancel().catch(() => {});
  }
}
