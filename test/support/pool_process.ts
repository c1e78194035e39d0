import { parsePacket, Queue } from "../../src/protocol/channel.ts";
import {
  readFromSandbox,
  type SandboxMessage,
  type SandboxProcess,
} from "../../src/server/pool/sandbox.ts";
import { type BareSandbox, withoutToken } from "./bare_process.ts";
import { bytesOf } from "./pieces.ts";

/** Connects a real sandbox process to a pool, without a broker in between. */
export function connect(starting: Promise<BareSandbox>): SandboxProcess {
  const messages = new Queue<SandboxMessage>();
  const follow = async () => {
    for await (const packet of (await starting).packets) {
      messages.push(parsePacket(withoutToken(packet), readFromSandbox));
    }
    messages.push({ type: "ended", reason: "code 0", code: 0 });
  };
  follow();
  return {
    messages,
    async send(message, body) {
      // It has its setup already.
      if (message.type !== "setup") {
        await (await starting).send(message, body && bytesOf(body));
      }
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
