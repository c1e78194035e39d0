import { assertEquals, assertThrows } from "../../../deps/assert.ts";
import { giveRoom, openBrake, roomOf, withBrake } from "./backlog.ts";

const WINDOW = 1 << 20;
/** Waits on the brake, in a thread of its own. */
const BRAKING = `
import { openBrake } from ${
  JSON.stringify(import.meta.resolve("./backlog.ts"))
};
self.onmessage = ({ data }) => {
  const brake = openBrake(data);
  brake(1);
  self.postMessage("through");
};`;

Deno.test("openBrake() waits until the host has given room back", async () => {
  const shared = new SharedArrayBuffer(4);
  openBrake(shared)(WINDOW + 1);
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  await Deno.writeTextFile(file, BRAKING);
  const worker = new Worker(`file://${file}`, { type: "module" });
  const room = new Int32Array(shared);
  let isThrough = false;
  worker.onmessage = () => isThrough = true;
  worker.postMessage(shared);
  const turn = () => new Promise((resolve) => setTimeout(resolve));
  // A thread that is woken up and finds no room waits again.
  while (Atomics.notify(room, 0) === 0 && !isThrough) await turn();
  assertEquals([isThrough, room[0]], [false, WINDOW + 1]);
  giveRoom(room, 1);
  while (!isThrough) await turn();
  assertEquals(room[0], WINDOW + 1);
  worker.terminate();
  await Deno.remove(file);
});

Deno.test("openBrake() refuses a size that would open it", () => {
  const brake = openBrake(new SharedArrayBuffer(4));
  for (const size of [-1, NaN, 0.5, -Infinity, 2 ** 31, 2 ** 60]) {
    assertThrows(() => brake(size), RangeError);
  }
});

Deno.test("withBrake() takes the room of a message before it is sent", () => {
  const steps: unknown[] = [];
  const post = withBrake(
    (size) => void steps.push(size),
    (message) => void steps.push(message.type),
  );
  const call = { name: "ab", arguments: "{}" };
  post({ type: "output", stream: "stdout", text: "12345" });
  post({ type: "display", mimeType: "image/png", data: "123456" });
  post({ type: "notify", ...call });
  post({ type: "ask", id: 1, ...call });
  post({ type: "file", path: "a", size: 9, bytes: new Uint8Array(9) });
  post({ type: "removed", path: "a" });
  const sizes = [217, 222, 210, 207, 214, 208];
  const types = ["output", "display", "notify", "ask", "file", "removed"];
  assertEquals(steps, sizes.flatMap((size, at) => [size, types[at]]));
  assertEquals(roomOf({ type: "ready" }), 205);
});
