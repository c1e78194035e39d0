import { assertEquals } from "../../deps/assert.ts";
import { CacheError } from "../environments/in_cache.ts";
import { troubleOf, withRetries } from "./downloads.ts";

/** Counts tries of something that always comes to the same. */
async function triesOf(work: () => object): Promise<number> {
  let tries = 0;
  await withRetries(() => {
    tries++;
    return Promise.resolve().then(work);
  }).catch(() => {});
  return tries;
}

Deno.test("withRetries() tries three times what may pass, and once what does not", async () => {
  const throwing = (error: Error) => () => {
    throw error;
  };
  const tries = await Promise.all([
    triesOf(() => ({ status: 503 })),
    triesOf(throwing(new Error("connection reset"))),
    triesOf(throwing(new Error("it answered with status 429"))),
    triesOf(() => ({ status: 200 })),
    triesOf(() => ({ status: 404 })),
    triesOf(throwing(new Error("Connection refused"))),
    triesOf(throwing(new Error("it answered with status 404"))),
    triesOf(throwing(new CacheError("No space left"))),
  ]);
  assertEquals(tries, [3, 3, 3, 1, 1, 1, 1, 1]);
});

Deno.test("withRetries() gives what came at last", async () => {
  let tries = 0;
  assertEquals(
    await withRetries(() => {
      if (++tries === 1) throw new Error("connection reset");
      return Promise.resolve({ status: tries === 2 ? 503 : 200 });
    }),
    { status: 200 },
  );
});

Deno.test("troubleOf() is the innermost cause, as a part of a sentence", () => {
  const texts: Record<string, string> = {
    "Writable stream is closed or errored.":
      "Writable stream is closed or errored",
    "No such file or directory (os error 2): open '/x'":
      "No such file or directory",
    "client error (Connect): tcp connect error: Connection refused":
      "Connection refused",
  };
  for (const [text, says] of Object.entries(texts)) {
    const error = new Error("outer", { cause: new Error(text) });
    assertEquals(troubleOf(error), says);
  }
});
