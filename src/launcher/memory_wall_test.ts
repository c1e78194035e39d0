import { assert, assertEquals } from "../../deps/assert.ts";
import { tempFolder } from "../../test/support/folder.ts";
import { log } from "../log.ts";
import { memoryWall } from "./memory_wall.ts";

const NOT_LINUX = Deno.build.os !== "linux" &&
  "only Linux bounds what V8 maps (RLIMIT_DATA)";
if (NOT_LINUX) log(`skipped: the kernel's wall around memory: ${NOT_LINUX}`);

async function run(wall: string[], ...command: string[]): Promise<string> {
  const [program = "", ...args] = [...wall, ...command];
  const { stdout } = await new Deno.Command(program, { args, clearEnv: true })
    .output();
  return new TextDecoder().decode(stdout);
}

/** Fills memory in a worker, up to 4 GiB; says how far it has come, as it may die of it. */
const HOG = `
const code = "let mib = 0; const all = []; " +
  "try { for (; mib < 4096; postMessage(mib += 64)) all.push(new Uint8Array(64 << 20).fill(1)); }" +
  "catch {} postMessage(0);";
const worker = new Worker("data:text/javascript," + encodeURIComponent(code), { type: "module" });
worker.onmessage = ({ data }) => { if (data === 0) Deno.exit(); console.log(data); };`;

Deno.test({
  name: "memoryWall() bounds what a process can take, whatever it does",
  ignore: Boolean(NOT_LINUX),
  async fn() {
    await using temp = await tempFolder();
    const { path: folder } = temp;
    const file = `${folder}/hog.js`;
    await Deno.writeTextFile(file, HOG);
    const said = await run(
      memoryWall(2148, folder),
      ...[Deno.execPath(), "run", "--quiet", "--no-prompt", file],
    );
    const taken = Number(said.trim().split("\n").at(-1));
    assert(taken > 0 && taken < 2048, `took ${taken} MiB`);
  },
});

Deno.test({
  name: "memoryWall() counts the environment twice, and knows none by 1 GiB",
  ignore: Boolean(NOT_LINUX),
  async fn() {
    await using temp = await tempFolder();
    const { path: folder } = temp;
    const limit = async (environment: string) =>
      Number(
        await run(memoryWall(3048, environment), "/bin/sh", "-c", "ulimit -d"),
      );
    const empty = await limit(folder);
    await Deno.writeFile(`${folder}/image`, new Uint8Array(10 << 20));
    const [held, unknown] = [await limit(folder), await limit(`${folder}/x`)];
    assert(Math.abs(empty - 3048 * 1024) < 100, `${empty}`);
    assertEquals(Math.round((held - empty) / 1024), 20);
    assertEquals(unknown, (3048 + 2048) * 1024);
  },
});

Deno.test({
  name: "memoryWall() keeps a limit that is lower already",
  ignore: Boolean(NOT_LINUX),
  async fn() {
    const lower = ["/bin/sh", "-c", 'ulimit -d 4096; exec "$@"', "sh"];
    await using temp = await tempFolder();
    const wall = [...lower, ...memoryWall(3048, temp.path)];
    const limit = await run(wall, "/bin/sh", "-c", "ulimit -d");
    assertEquals(limit, "4096\n");
  },
});

Deno.test({
  name: "memoryWall() adds nothing to what a process knows of this machine",
  ignore: Boolean(NOT_LINUX),
  async fn() {
    const said = await run(memoryWall(1000, "/nowhere"), "/usr/bin/env");
    assertEquals(said.match(/PWD/), null, said);
  },
});
