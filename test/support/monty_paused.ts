// A process with an interpreter of Monty: the first argument is "pause", to run code up
// to its call of the host and write its dump, or "resume", to go on from a dump.
import {
  type BridgeReply,
  Instance,
} from "../../src/engines/monty/worker/instance.ts";
import { print } from "../../src/log.ts";
import { compileMonty } from "./monty_module.ts";

const instance = new Instance(await compileMonty(), {
  ...{ memoryBytes: 1 << 28, isInterrupted: () => false, print() {} },
});
const [mode, text = ""] = Deno.args;
if (mode === "pause") {
  const limits = { maxDurationMs: 60_000, maxMemoryBytes: 1 << 27 };
  const reply = instance.take({
    ...{ type: "run", code: text, inputs: {}, form: "plain", room: null },
    ...{ functions: ["http_request"], environment: {}, limits },
  });
  say(reply, instance.dump().toBase64());
} else {
  instance.load(Uint8Array.fromBase64(text));
  say(instance.take({ type: "answer", answer: { value: { Int: 40 } } }));
}

function say(reply: BridgeReply, dump?: string): void {
  print(JSON.stringify({ reply, dump, pid: Deno.pid }));
}
