import { FROM_SANDBOX_LINE } from "../protocol/bounds.ts";
import { encodeFrame } from "../protocol/frames.ts";
import { Lead } from "../protocol/lead.ts";
import { concat, NEWLINE, readLines } from "../protocol/lines.ts";
import { kill } from "./kill.ts";
import { lineWriter } from "./line_writer.ts";

type ToServer = (line: Uint8Array<ArrayBuffer>) => Promise<boolean>;

export interface SandboxProcess {
  send(payload: Uint8Array): void;
  kill(): void;
  ended: Promise<void>;
}

/**
 * Connects a sandbox process to the server: hands on each line that starts with the
 * process's token, and then how the process ended.
 */
export function connectSandbox(
  id: number,
  process: Deno.ChildProcess,
  toServer: ToServer,
): SandboxProcess {
  const toProcess = lineWriter(process.stdin);
  const token = new TextEncoder().encode(crypto.randomUUID());
  toProcess(concat([token, NEWLINE]));
  return {
    send: (payload) => void toProcess(concat([payload, NEWLINE])),
    kill: () => kill(process),
    // A pipe whose other end is gone stays open by itself.
    ended: follow(id, process, token, toServer).finally(toProcess.close),
  };
}

async function follow(
  id: number,
  process: Deno.ChildProcess,
  token: Uint8Array,
  toServer: ToServer,
): Promise<void> {
  const lead = new Lead();
  try {
    for await (const line of readLines(process.stdout, FROM_SANDBOX_LINE)) {
      if (!startsWith(line, token)) break;
      const frame = encodeFrame("from", id, line.subarray(token.length));
      await lead.take(frame.length, toServer(frame));
    }
  } catch {
    // A line over the limit: this process is no longer to be trusted.
  }
  kill(process);
  const { code, signal } = await process.status;
  await toServer(encodeFrame("ended", id, { code, signal }));
}

function startsWith(line: Uint8Array, start: Uint8Array): boolean {
  return line.length >= start.length &&
    start.every((byte, index) => line[index] === byte);
}
