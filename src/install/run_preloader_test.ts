import { assertEquals } from "../../deps/assert.ts";
import { fileURLToPath } from "node:url";
import type { PreloadOrder } from "../preload/messages.ts";
import type { Echo } from "../../test/support/echo.ts";
import { runPreloader } from "./run_preloader.ts";

const ECHO = fileURLToPath(import.meta.resolve("../../test/support/echo.ts"));

Deno.test("runPreloader() puts a sandbox's walls around packages that are imported for the first time", async () => {
  const order: PreloadOrder = {
    runtime: { folder: "/p" },
    environment: "/c/e",
    modules: ["one"],
  };
  const said: string[] = [];
  const ended = Promise.withResolvers<void>();
  await runPreloader(order, {
    send: (line) => void said.push(line),
    ended: ended.promise,
  }, {
    places: {
      ...{ cache: ["/c"], environment: ["/c/e"], pyodide: ["/p"] },
      ...{ program: ["/s"], sources: ["/w"] },
    },
    wall: [Deno.execPath(), "run", "--allow-env", ECHO],
    logs: true,
  });
  assertEquals(said.at(-1), ".code 0");
  const text = said.slice(0, -1).map((part) =>
    new TextDecoder().decode(Uint8Array.fromBase64(part))
  ).join("");
  const { args }: Echo = JSON.parse(text);
  assertEquals(args.slice(2, -2), [
    ...["--quiet", "--cached-only", "--no-prompt", "--allow-read=/c/e,/p,/s"],
    "--v8-flags=--disallow-code-generation-from-strings,--max-old-space-size=1024",
  ]);
  assertEquals(JSON.parse(args.at(-1) ?? ""), order);
});
