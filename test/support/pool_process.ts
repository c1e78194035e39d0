import { Queue } from "../../src/protocol/queue.ts";
import { parseFromSandbox } from "../../src/protocol/sandbox_messages.ts";
import type {
  SandboxMessage,
  SandboxProcess,
} from "../../src/server/pool/sandbox.ts";
import type { BareSandbox } from "./bare_process.ts";

/** Connects a real sandbox process to a pool, without a broker in between. */
export function connect(starting: Promise<BareSandbox>): SandboxProcess {
  const messages = new Queue<SandboxMessage>();
  const follow = async () => {
    for await (const line of (await starting).lines) {
      const text = line.slice("token".length);
      const reason = `not of the protocol: ${line}`;
      messages.push(
        parseFromSandbox(JSON.parse(text)) ?? { type: "failed", reason },
      );
    }
    messages.push({ type: "ended", reason: "code 0", code: 0 });
  };
  follow();
  return {
    messages,
    async send(message) {
      // It has its setup already.
      if (message.type !== "setup") await (await starting).send(message);
    },
    async kill() {
      const { pid } = await starting;
      try {
        Deno.kill(pid, "SIGKILL");
      } catch {
        // It is gone already.
      }
    },
  };
}
