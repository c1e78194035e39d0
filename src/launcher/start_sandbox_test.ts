import { assert, assertEquals, assertThrows } from "../../deps/assert.ts";
import { ENGINE } from "../engines/index.ts";
import type { EngineRow, FoundRuntime } from "../engines/engine.ts";
import { DEFAULTS, type Settings } from "../settings.ts";
import { TOY } from "../../test/support/toy_engine/row.ts";
import type { SpawnOptions } from "./spawn.ts";
import { findEngines, sandboxStarter } from "./start_sandbox.ts";

const SETTINGS: Settings = {
  ...{ ...DEFAULTS, cacheDir: "/c", memoryMiB: 300 },
  ...{ engine: ENGINE, otherEngines: [TOY] },
};
const FOLDER = "/c/environments/own";

/** The starter of a server whose environment may not be there yet. */
function openStarter({ isDone = true } = {}) {
  const started: SpawnOptions[] = [];
  const at = (row: EngineRow, some: Partial<FoundRuntime>) => ({
    row,
    runtime: { version: "1", places: [], files: {}, identity: [], ...some },
  });
  const start = sandboxStarter(
    [
      at(ENGINE, { places: ["/first"], files: "first" }),
      at({ ...TOY, flags: (mib) => [`--toy=${mib}`], stackKiB: 7 }, {
        ...{ places: ["/toy"], files: "toy" },
      }),
    ],
    SETTINGS,
    {
      places: { runtime: ["/first", "/toy"], program: ["/src"] },
      ...{ wall: undefined, nice: [], audits: false },
      installs: {
        isDone,
        folderOf(id) {
          if (id === "own") return FOLDER;
          throw new RangeError(`there is not an environment ${id}`);
        },
      },
      spawnSandbox(_, options) {
        started.push(options);
        return {} as Deno.ChildProcess;
      },
    },
  );
  return { start, started };
}

Deno.test("sandboxStarter() gives each process what its engine's row says, and no file of another engine", () => {
  const { start, started } = openStarter();
  start(ENGINE.profile.name, "own");
  // Whatever environment is asked for, the engine has none.
  start("toy", "own");
  start("toy", "");
  const [first, toy, again] = started.map(({ places, flags, argument }) => ({
    ...{ places, flags },
    argument: Object(argument),
  }));
  assert(first && toy);
  const program = ["/src"];
  assertEquals(first.places, {
    ...{ program, runtime: ["/first"], environment: [FOLDER] },
  });
  assertEquals(toy.places, { program, runtime: ["/toy"], environment: [] });
  assertEquals(toy, again);
  const told = ({ argument }: typeof toy) => [
    ...[argument.engine.host, argument.runtime, argument.environment],
    argument.stackKiB,
  ];
  const { stackKiB } = ENGINE;
  assertEquals(told(first), [ENGINE.host.href, "first", FOLDER, stackKiB]);
  assertEquals(told(toy), [TOY.host.href, "toy", "", 7]);
  assertEquals(toy.flags, ["--toy=300"]);
  assertEquals(first.flags, ENGINE.flags(300));
});

Deno.test("sandboxStarter() starts no engine and no environment that it does not know", () => {
  const { start } = openStarter();
  assertThrows(() => start("x", "own"), /no engine "x"/);
  assertThrows(() => start(ENGINE.profile.name, ""), /not an environment/);
});

Deno.test("sandboxStarter() starts no process while the launcher has its permissions for the install", () => {
  const { start, started } = openStarter({ isDone: false });
  for (const name of [ENGINE.profile.name, "toy"]) {
    assertThrows(() => start(name, "own"), /not there yet/);
  }
  assertEquals(started, []);
});

Deno.test("findEngines() has the user's folder for the first engine alone", async () => {
  const asked: unknown[] = [];
  const row = (name: string): EngineRow => ({
    ...TOY,
    profile: { ...TOY.profile, name },
    findRuntime(folder) {
      asked.push([name, folder]);
      return TOY.findRuntime();
    },
  });
  const found = await findEngines({
    ...{ engine: row("a"), otherEngines: [row("b")], runtimeFolder: "/f" },
  });
  assertEquals(found.map((one) => one.row.profile.name), ["a", "b"]);
  assertEquals(asked, [["a", "/f"], ["b", undefined]]);
});
