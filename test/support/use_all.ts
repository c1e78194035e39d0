import { assert, assertEquals, assertRejects } from "../../deps/assert.ts";
import type { TestClient } from "./client.ts";

/** Lists tools, runs code, hears progress, cancels, and goes on in the session. */
export async function useAll({ client, call }: TestClient): Promise<void> {
  const { tools } = await client.listTools();
  assert(tools.some(({ name }) => name === "run_python_code"));
  const told: unknown[] = [];
  const { structured: { session } } = await call(
    "print('on', flush=True)\nx = 7",
    { session: "new" },
    { onprogress: ({ message }) => void told.push(message) },
  );
  assertEquals(told, ["on"]);
  const stop = new AbortController();
  const stopped = call(
    "print('on', flush=True)\nwhile True: pass",
    { session },
    {
      signal: stop.signal,
      onprogress: () => stop.abort(),
    },
  );
  await assertRejects(stopped, /Abort/);
  // The session waits for its run to end.
  const { returnValue, text } = await call("x", { session });
  assertEquals(returnValue, 7, text);
}
