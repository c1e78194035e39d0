import type { PyodideInterface } from "../../../../deps/pyodide.ts";
import type { Post } from "../../shared/backlog.ts";
import { WorkerOutput } from "../../shared/output.ts";

/**
 * Sends Python's output to the host, in order, as it comes.
 *
 * @returns Sends the output that is still held back, or forgets it; counts the
 * pieces so far.
 */
export function connectOutput(
  python: PyodideInterface,
  post: Post,
): { flush(): void; forget(): void; count(): number } {
  const output = new WorkerOutput(post);
  // They hold the first bytes of a character whose last ones are to come.
  let decoders = makeDecoders();
  let pieces = 0;
  for (const stream of ["stdout", "stderr"] as const) {
    const write = (bytes: Uint8Array) => {
      pieces++;
      output.write(stream, decoders[stream].decode(bytes, { stream: true }));
      return bytes.length;
    };
    if (stream === "stdout") python.setStdout({ write });
    else python.setStderr({ write });
  }
  return {
    flush: () => output.flush(),
    count: () => pieces,
    forget() {
      output.forget();
      decoders = makeDecoders();
    },
  };
}

const makeDecoders = () => ({
  stdout: new TextDecoder(),
  stderr: new TextDecoder(),
});
