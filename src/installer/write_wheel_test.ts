import { assertEquals, assertRejects } from "../../deps/assert.ts";
import { tempFolder } from "../../test/support/folder.ts";
import type { InstallEvent } from "../environments/phase_1/messages.ts";
import { writeWheel } from "./wheel_store.ts";

Deno.test("writeWheel() takes no size from an index that is beyond its own bound", async () => {
  await using temp = await tempFolder();
  const { path: cacheDir } = temp;
  // Its memory is never touched.
  const body = async function* () {
    yield new Uint8Array(2 ** 31 + 1);
  };
  for (const size of [2 ** 31 + 1, 1e15, undefined]) {
    await assertRejects(
      writeWheel(
        { body: body() },
        { file: "x", url: "", ...(size ? { size } : {}) },
        { cacheDir, path: `${cacheDir}/${size}`, report() {} },
      ),
      /it is larger than 2147483648 bytes/,
    );
  }
});

Deno.test("writeWheel() reports the size that its server tells if no index does", async () => {
  await using temp = await tempFolder();
  const { path: cacheDir } = temp;
  const write = async (told?: number, size?: number) => {
    const events: InstallEvent[] = [];
    await writeWheel(
      { body: new Blob(["wheel"]).stream(), size: told },
      { file: "x", url: "", size },
      {
        ...{ cacheDir, path: `${cacheDir}/${crypto.randomUUID()}` },
        report: (event) => events.push(event),
      },
    );
    const event = { type: "download", file: "x", received: 5 } as const;
    return { events, event };
  };
  const { events, event } = await write(5);
  assertEquals(events, [{ ...event, total: 5 }]);
  assertEquals((await write(9, 5)).events, [{ ...event, total: 5 }]);
  assertEquals((await write()).events, [event]);
});
