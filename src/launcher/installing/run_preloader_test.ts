import { assertEquals, assertMatch } from "../../../deps/assert.ts";
import type { PreloaderSaid } from "../../environments/phase_1/messages.ts";
import { ENGINE } from "../../engines/index.ts";
import { toScopePaths } from "../find_scope_paths.ts";
import { runPreloader } from "./run_preloader.ts";

/** What is sent of a preloader in whose place this runs. */
async function hear(
  program: string,
  { limitMs, endedMs }: { limitMs: number; endedMs: number },
): Promise<string[]> {
  const sent: string[] = [];
  const ended = Promise.withResolvers<void>();
  const timer = setTimeout(ended.resolve, endedMs);
  const order = {
    runtime: { folder: "/nowhere" },
    ...{ environment: "/nowhere", modules: [] },
  };
  const send = ({ ended }: PreloaderSaid, piece?: Uint8Array) =>
    void sent.push(ended ?? new TextDecoder().decode(piece));
  await runPreloader(order, { send, ended: ended.promise }, {
    places: {
      ...toScopePaths("/nowhere", ["/nowhere"]),
      environment: ["/nowhere"],
    },
    wall: ["sh", "-c", program],
    engine: ENGINE,
    limitMs,
    logs: false,
  });
  clearTimeout(timer);
  return sent;
}

const options = { ignore: Deno.build.os === "windows" };

Deno.test(
  "runPreloader() hands on what is said, and how it ended",
  options,
  async () => {
    const sent = await hear("printf said; exit 3", {
      limitMs: 60_000,
      endedMs: 60_000,
    });
    assertEquals(sent, ["said", "code 3"]);
  },
);

Deno.test(
  "runPreloader() ends a process that takes too long",
  options,
  async () => {
    // The installer's end, which would end it as well, comes later.
    const sent = await hear("exec sleep 1000", { limitMs: 50, endedMs: 5000 });
    assertEquals(sent, ["it took more than 0.05 s"]);
  },
);

Deno.test(
  "runPreloader() ends a process whose installer has ended",
  options,
  async () => {
    const sent = await hear("exec sleep 1000", {
      limitMs: 60_000,
      endedMs: 50,
    });
    assertEquals(sent, ["SIGKILL"]);
  },
);

Deno.test(
  "runPreloader() has the kernel bound the memory of hostile packages",
  { ignore: Deno.build.os !== "linux" },
  async () => {
    const times = { limitMs: 60_000, endedMs: 60_000 };
    const [limit = ""] = await hear("ulimit -d", times);
    assertMatch(limit, /^\d+\n$/);
  },
);
