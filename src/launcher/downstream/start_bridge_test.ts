import { NO_PLACE } from "../../../test/support/component_place.ts";
import { join } from "node:path";
import { assertEquals, assertThrows } from "../../../deps/assert.ts";
import { log } from "../../log.ts";
import type { ServerEntry } from "../../protocol/downstream.ts";
import { fakeSystem } from "../../../test/support/fake_system.ts";
import { openConfigurations } from "./configurations.ts";
import { startBridge, toDownstream } from "./start_bridge.ts";

const LIMITS = { startMs: 1000, maxResult: 1000 };
const NO_SHELL = Deno.build.os === "windows" && "needs programs of Unix";
if (NO_SHELL) log(`skipped: programs of downstream servers: ${NO_SHELL}`);

const start = (more: Partial<ServerEntry> & object) =>
  startBridge({
    ...{ name: "one", source: "a test", transport: "stdio" },
    ...{ command: "sh", args: [], env: {} },
    ...more,
  } as ServerEntry, LIMITS);

Deno.test({
  name: "startBridge() names what is wrong with an entry, and the remedy",
  ignore: Boolean(NO_SHELL),
  async fn() {
    const folder = await Deno.makeTempDir();
    const comma = join(folder, "a,b");
    await Deno.writeTextFile(comma, "#!/bin/sh\n", { mode: 0o755 });
    const plain = join(folder, "plain");
    await Deno.writeTextFile(plain, "", { mode: 0o644 });
    for (
      const [entry, expected] of [
        [{ command: "absent-program" }, /"absent-program" on the PATH\. Inst/],
        [
          { command: "./absent", cwd: folder },
          /"\.\/absent" in \/.*whole path/,
        ],
        [{ command: plain }, /there is no program "/],
        [{ command: comma }, /a comma.*Move the program/],
        [{ cwd: join(folder, "none") }, /none", is not a folder\. Make it/],
        [{ transport: "http", url: "ftp://x", headers: {} }, /http:\/\/ or/],
        [{ transport: "http", url: "no url", headers: {} }, /http:\/\/ or/],
      ] as const
    ) assertThrows(() => start(entry), expected);
    await Deno.remove(folder, { recursive: true });
  },
});

Deno.test({
  name: "startBridge() resolves the command, and adds the base variables",
  ignore: Boolean(NO_SHELL),
  async fn() {
    const { process, first } = start({ env: { HOME: "/else", KEY: "x" } });
    await process.stdin.close();
    await process.stdout.cancel();
    await process.status;
    const { entry } = first;
    if (entry.transport !== "stdio") throw new Error("It is not a program");
    assertEquals(entry.command.endsWith("/sh"), true);
    const { HOME, KEY, PATH } = entry.env;
    assertEquals([HOME, KEY, PATH], ["/else", "x", Deno.env.get("PATH")]);
  },
});

/** The file of servers, by turns: those of the start are the first. */
const TURNS: [Record<string, Record<string, unknown>>, RegExp | undefined][] = [
  [{ a: { command: "./none" } }, undefined],
  [{ a: { command: "./other" } }, /another entry than at the start/],
  [{ a: { command: "./none", args: ["x"] } }, /another entry than/],
  [{ a: { command: "./none", env: { X: "1" } } }, /another entry than/],
  [{ a: { command: "./none", always: true } }, /another entry than/],
  [{ a: { command: "./none", allowWritable: true } }, /another entry than/],
  [{ a: { command: "./none", description: "new" } }, undefined],
  [{ b: { command: "./none" } }, /another entry than at the start/],
  [{ b: { url: "http://b.example/mcp" } }, /another entry than at the start/],
];

Deno.test("toDownstream() starts an entry that was there at the start, and another with an agreement to it alone", () => {
  const system = fakeSystem();
  const write = (mcpServers: object) =>
    system.write("/srv/mcp.json", JSON.stringify({ mcpServers }));
  write(TURNS[0]?.[0] ?? {});
  const downstream = toDownstream(
    openConfigurations({
      ...{ mcpConfig: ["/srv/mcp.json"], discover: false },
      allowSelfServer: false,
    }, system),
    { startTimeoutSeconds: 1, maxHostCallSize: 1000 },
    NO_PLACE,
  );
  for (const [servers, refusal] of TURNS) {
    write(servers);
    const [listed] = downstream.list();
    const { name = "", revision = "", changed } = listed ?? {};
    assertEquals(changed !== undefined, refusal !== undefined);
    const start = (isAgreed: boolean) => () =>
      downstream.start(name, revision, { isAgreed, granted: [] });
    // Its program is not there, if nothing else is wrong.
    const missing = /there is no program/;
    assertThrows(start(false), refusal ?? missing);
    if (listed?.transport === "stdio") assertThrows(start(true), missing);
  }
  const [{ revision = "" } = {}] = downstream.list();
  write({ b: { command: "./evil" } });
  assertThrows(
    () => downstream.start("b", revision, { isAgreed: true, granted: [] }),
    /its file has ch/,
  );
});
