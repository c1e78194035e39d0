import { MIB } from "../units.ts";
import { assert, assertEquals, assertMatch } from "../../deps/assert.ts";
import { makeScreen, type TestScreen } from "../../test/support/screen.ts";
import { openProgress } from "./install_progress.ts";
import { openBars } from "./progress_bars.ts";

const plain = { isTerminal: false };

/** Progress on a screen and a clock of a test's own. */
function open(screen: TestScreen) {
  const clock = { ms: 0 };
  const loaded = { times: 0 };
  const progress = openProgress({
    screen,
    now: () => clock.ms,
    loadBars() {
      loaded.times++;
      return Promise.resolve({ openBars });
    },
  });
  return { progress, clock, loaded };
}

/** Lets what was loaded arrive. */
const loading = () => Promise.resolve().then(() => {}).then(() => {});

Deno.test("openProgress() writes plain lines where there is no terminal", async () => {
  const screen = makeScreen(plain);
  const { progress, clock, loaded } = open(screen);
  using _ = progress;
  progress.report({ type: "step", text: "Resolving rich" });
  progress.report({ type: "warning", text: "no metadata" });
  const file = "rich-14.3.3-py3-none-any.whl";
  for (clock.ms = 0; clock.ms <= 12_000; clock.ms += 100) {
    const received = clock.ms * 100;
    progress.report({ type: "download", file, received, total: 2 * MIB });
  }
  progress.report({ type: "downloaded", file, size: 2 * MIB });
  progress.report({ type: "downloaded", file: "a.whl", size: 243_000 });
  progress.report({ type: "downloaded", file: "b.whl", size: 0 });
  await loading();
  assertEquals(screen.raw().split("\n"), [
    "Resolving rich",
    "warning: no metadata",
    `Downloading ${file}: 23% of 2.0 MiB`,
    `Downloading ${file}: 47% of 2.0 MiB`,
    `Downloaded ${file} (2.0 MiB)`,
    "Downloaded a.whl (238 KiB)",
    "Downloaded b.whl (0 KiB)",
    "",
  ]);
  assertEquals(loaded.times, 0);
});

Deno.test("openProgress() says how much came of a file of unknown size", () => {
  const screen = makeScreen(plain);
  const { progress, clock } = open(screen);
  progress.report({ type: "download", file: "a.whl", received: 0 });
  clock.ms = 5000;
  progress.report({ type: "download", file: "a.whl", received: 3 * MIB });
  assertEquals(screen.lines(), ["Downloading a.whl: 3.0 MiB so far"]);
});

Deno.test("openProgress() loads no bars until something is downloaded", async () => {
  const screen = makeScreen();
  const { progress, loaded } = open(screen);
  using _ = progress;
  progress.report({ type: "step", text: "Resolving" });
  assertEquals(loaded.times, 0);
  progress.report({ type: "download", file: "a.whl", received: 1 });
  progress.report({ type: "download", file: "b.whl", received: 1 });
  await loading();
  assertEquals(loaded.times, 1);
  assertEquals(screen.lines().length, 3);
});

Deno.test("openProgress() draws bars below lines, and none is left", async () => {
  const screen = makeScreen();
  const { progress, clock } = open(screen);
  {
    using _ = progress;
    progress.report({ type: "step", text: "Resolving" });
    for (const file of ["a.whl", "b.whl", "c.whl"]) {
      progress.report({ type: "download", file, received: 1, total: MIB });
    }
    await loading();
    clock.ms = 1000;
    progress.report({
      type: "download",
      file: "b.whl",
      received: MIB / 2,
      total: MIB,
    });
    progress.report({ type: "warning", text: "slow\nvery slow" });
    const [first, ...rest] = screen.lines();
    assertEquals([first, ...rest.slice(0, 2)], [
      "Resolving",
      "warning: slow",
      "very slow",
    ]);
    assertMatch(String(rest[2]), /^a\.whl +░+ +0%/);
    assertMatch(
      String(rest[3]),
      /^b\.whl .* 50% +0\.5\/1\.0 MiB +512 KiB\/s +0:01$/,
    );
    assertMatch(String(rest[4]), /^c\.whl +░+ +0%/);
    assertEquals(rest.length, 5);

    progress.report({ type: "downloaded", file: "a.whl", size: MIB });
    const after = screen.lines().slice(3);
    assertEquals(after.map((line) => line.slice(0, 21)), [
      "Downloaded a.whl (1.0",
      ...after.slice(1).map((line) => line.slice(0, 21)),
    ]);
    assertEquals(after.slice(1).map((line) => line.slice(0, 5)), [
      "b.whl",
      "c.whl",
    ]);
    progress.report({ type: "downloaded", file: "b.whl", size: MIB });
    progress.report({ type: "downloaded", file: "c.whl", size: MIB });
    progress.report({ type: "step", text: "Compiling" });
  }
  screen.write("$ ");
  assertEquals(screen.lines(), [
    "Resolving",
    "warning: slow",
    "very slow",
    "Downloaded a.whl (1.0 MiB)",
    "Downloaded b.whl (1.0 MiB)",
    "Downloaded c.whl (1.0 MiB)",
    "Compiling",
    "$",
  ]);
});

Deno.test("openProgress() takes its bars away when an error ends it", async () => {
  const screen = makeScreen();
  const { progress } = open(screen);
  {
    using _ = progress;
    progress.report({ type: "step", text: "Resolving" });
    progress.report({ type: "download", file: "a.whl", received: 1 });
    progress.report({ type: "download", file: "b.whl", received: 1 });
    await loading();
    assertEquals(screen.lines().length, 3);
  }
  screen.write("error: Cannot download a.whl\n");
  assertEquals(screen.lines(), ["Resolving", "error: Cannot download a.whl"]);
});

Deno.test("openProgress() that is over before its bars came draws none", async () => {
  const screen = makeScreen();
  const { progress } = open(screen);
  {
    using _ = progress;
    progress.report({ type: "download", file: "a.whl", received: 1 });
  }
  await loading();
  assertEquals(screen.raw(), "");
});

Deno.test("openProgress() goes on with lines if bars cannot be loaded", async () => {
  const screen = makeScreen();
  using progress = openProgress({
    screen,
    loadBars: () => Promise.reject(new TypeError("not cached")),
  });
  progress.report({ type: "download", file: "a.whl", received: 1 });
  await loading();
  progress.report({ type: "downloaded", file: "a.whl", size: 1 });
  assertEquals(screen.lines(), ["Downloaded a.whl (1 KiB)"]);
});

for (const [columns, rows] of [[80, 24], [20, 5], [200, 3], [10, 24], [1, 1]]) {
  Deno.test(`openProgress() shows 30 downloads on ${columns} by ${rows}`, async () => {
    const screen = makeScreen({ columns, rows });
    const { progress, clock } = open(screen);
    const files = Array.from({ length: 30 }, (_, at) => `wheel-${at}.whl`);
    {
      using _ = progress;
      for (clock.ms = 0; clock.ms < 1000; clock.ms += 100) {
        for (const file of files) {
          progress.report({ type: "download", file, received: clock.ms });
        }
        await loading();
      }
      assert(
        screen.highest() <= Math.max(2, Number(rows)),
        `${screen.highest()}`,
      );
      for (const file of files) {
        progress.report({ type: "downloaded", file, size: 1024 });
      }
    }
    // Broken into as many lines as it takes.
    assertEquals(
      screen.lines().join("").replaceAll(" ", ""),
      files.map((file) => `Downloaded${file}(1KiB)`).join(""),
    );
  });
}

Deno.test("openProgress() has colour on terminals alone, if it is wanted", () => {
  const colours = [
    makeScreen({ hasColors: true }),
    makeScreen({ hasColors: false }),
    makeScreen({ hasColors: true, isTerminal: false }),
  ].map((screen) => {
    open(screen).progress.report({ type: "warning", text: "w" });
    return screen.raw().includes("\x1b[1;33m");
  });
  assertEquals(colours, [true, false, false]);
});

Deno.test("openProgress() does not write what moves the cursor", () => {
  const screen = makeScreen(plain);
  const { progress } = open(screen);
  progress.report({ type: "step", text: "a\rb\x1b[2Jc\x07d" });
  assertEquals(screen.raw(), "a\ufffdb\ufffd[2Jc\ufffdd\n");
});
