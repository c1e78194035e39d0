import { MIB } from "../units.ts";
import { assert, assertEquals, assertMatch } from "../../deps/assert.ts";
import { makeScreen, type TestScreen } from "../../test/support/screen.ts";
import { openProgress } from "./install_progress.ts";

const plain = { isTerminal: false };

/** Progress on a screen and a clock of a test's own. */
function open(screen: TestScreen) {
  const clock = { ms: 0 };
  let pulse: { work: () => void; ms: number; next: number } | undefined;
  const progress = openProgress({
    screen,
    now: () => clock.ms,
    repeat(work, ms) {
      pulse = { work, ms, next: ms };
      return { [Symbol.dispose]: () => pulse = undefined };
    },
  });
  /** Lets time pass. */
  const wait = (ms: number) => {
    const end = clock.ms + ms;
    while (pulse && pulse.next <= end) {
      clock.ms = pulse.next;
      pulse.next += pulse.ms;
      pulse.work();
    }
    clock.ms = end;
  };
  return { progress, clock, wait };
}

Deno.test("openProgress() writes plain lines where there is no terminal", () => {
  const screen = makeScreen(plain);
  const { progress, clock, wait } = open(screen);
  using _ = progress;
  progress.report({ type: "step", text: "Resolving rich" });
  progress.report({ type: "warning", text: "no metadata" });
  const file = "rich-14.3.3-py3-none-any.whl";
  while (clock.ms <= 12_000) {
    const received = clock.ms * 100;
    progress.report({ type: "download", file, received, total: 2 * MIB });
    wait(100);
  }
  progress.report({ type: "downloaded", file, size: 2 * MIB, local: false });
  progress.report({
    type: "downloaded",
    file: "a.whl",
    size: 243_000,
    local: false,
  });
  progress.report({ type: "downloaded", file: "b.whl", size: 0, local: false });
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
});

Deno.test("openProgress() says how much came of a file of unknown size", () => {
  const screen = makeScreen(plain);
  const { progress, wait } = open(screen);
  progress.report({ type: "download", file: "a.whl", received: 0 });
  wait(4000);
  progress.report({ type: "download", file: "a.whl", received: 3 * MIB });
  wait(1000);
  assertEquals(screen.lines(), ["Downloading a.whl: 3.0 MiB so far"]);
});

Deno.test("openProgress() draws one line below the others, and leaves none of it", () => {
  const screen = makeScreen();
  const { progress, wait } = open(screen);
  {
    using _ = progress;
    progress.report({ type: "step", text: "Resolving" });
    const files = ["a.whl", "b.whl", "c.whl"]
      .map((file) => ({ file, size: MIB }));
    progress.report({ type: "downloads", files });
    assertEquals(screen.lines(), ["Resolving"]);
    for (const { file, size: total } of files.slice(0, 2)) {
      progress.report({ type: "download", file, received: 0, total });
    }
    wait(100);
    assertEquals(screen.lines().length, 2);
    assertEquals(
      screen.lines()[1],
      "Downloading 1 of 3  0 KiB of 3.0 MiB",
    );
    wait(900);
    progress.report({
      type: "download",
      file: "b.whl",
      received: MIB / 2,
      total: MIB,
    });
    progress.report({ type: "warning", text: "slow\nvery slow" });
    assertEquals(screen.lines().slice(0, -1), [
      "Resolving",
      "warning: slow",
      "very slow",
    ]);
    assertMatch(
      String(screen.lines().at(-1)),
      /^Downloading 1 of 3 {2}512 KiB of 3\.0 MiB {2}512 KiB\/s {2}0:05$/,
    );

    progress.report({
      type: "downloaded",
      file: "a.whl",
      size: MIB,
      local: false,
    });
    const [line, more] = screen.lines().slice(3);
    assertEquals(line, "Downloaded a.whl (1.0 MiB)");
    assertMatch(String(more), /^Downloading 2 of 3 {2}1\.5 MiB of 3\.0 MiB /);
    progress.report({
      type: "downloaded",
      file: "b.whl",
      size: MIB,
      local: false,
    });
    assertEquals(screen.lines().slice(-2), [
      "Downloaded b.whl (1.0 MiB)",
      "⠋ 1 s",
    ]);
    progress.report({
      type: "downloaded",
      file: "c.whl",
      size: MIB,
      local: false,
    });
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

Deno.test("openProgress() shows on a terminal that a step goes on", () => {
  const screen = makeScreen();
  const { progress, wait } = open(screen);
  {
    using _ = progress;
    wait(9000);
    assertEquals(screen.raw(), "");
    progress.report({ type: "step", text: "Resolving" });
    wait(400);
    assertEquals(screen.lines(), ["Resolving"]);
    wait(100);
    assertEquals(screen.lines(), ["Resolving", "⠴ 0 s"]);
    wait(12_100);
    assertEquals(screen.lines(), ["Resolving", "⠦ 12 s"]);
    progress.report({ type: "package", name: "a\rb", number: 2, count: 14 });
    assertEquals(screen.lines(), ["Resolving", "⠦ 12 s"]);
    wait(1000);
    const installing = "Installing a\\u000db 2/14  1 s";
    assertEquals(screen.lines(), ["Resolving", `⠋ ${installing}`]);
    progress.report({ type: "download", file: "a.whl", received: 1 });
    wait(100);
    assertMatch(String(screen.lines()[1]), /^Downloading 1 of 1/);
    progress.report({
      type: "downloaded",
      file: "a.whl",
      size: 1,
      local: true,
    });
    const copied = "Copied a.whl (1 KiB)";
    assertEquals(screen.lines(), ["Resolving", copied, `⠙ ${installing}`]);
    progress.report({ type: "step", text: "Compiling" });
    assertEquals(screen.lines(), ["Resolving", copied, "Compiling"]);
    wait(500);
    assertEquals(screen.lines().at(-1), "⠴ 0 s");
  }
  wait(9000);
  assertEquals(screen.lines().slice(2), ["Compiling"]);
});

Deno.test("openProgress() writes a line for every five seconds without a line", () => {
  const screen = makeScreen(plain);
  const { progress, wait } = open(screen);
  {
    using _ = progress;
    wait(9500);
    progress.report({ type: "step", text: "Importing numpy" });
    wait(4000);
    assertEquals(screen.lines(), ["Importing numpy"]);
    wait(8000);
    progress.report({ type: "warning", text: "w" });
    wait(5000);
    progress.report({ type: "package", name: "a", number: 2, count: 14 });
    wait(5000);
    wait(4000);
    progress.report({ type: "package", name: "b", number: 3, count: 14 });
    wait(5000);
  }
  wait(9000);
  assertEquals(screen.lines(), [
    "Importing numpy",
    "Importing numpy: 5 s so far",
    "Importing numpy: 10 s so far",
    "warning: w",
    "Importing numpy: 17 s so far",
    "Installing a 2/14: 5 s so far",
    "Installing b 3/14: 5 s so far",
  ]);
});

Deno.test("openProgress() redraws its line ten times a second, not more", () => {
  const screen = makeScreen();
  const { progress, clock, wait } = open(screen);
  using _ = progress;
  while (clock.ms < 1000) {
    progress.report({ type: "download", file: "a.whl", received: clock.ms });
    wait(10);
  }
  assertEquals(screen.raw().split("Downloading").length - 1, 10);
});

Deno.test("openProgress() takes its line away when an error ends it", () => {
  const screen = makeScreen();
  const { progress, wait } = open(screen);
  {
    using _ = progress;
    progress.report({ type: "step", text: "Resolving" });
    progress.report({ type: "download", file: "a.whl", received: 1 });
    progress.report({ type: "download", file: "b.whl", received: 1 });
    wait(100);
    assertEquals(screen.lines().length, 2);
  }
  screen.write("error: Cannot download a.whl\n");
  assertEquals(screen.lines(), ["Resolving", "error: Cannot download a.whl"]);
});

Deno.test("openProgress() leaves the cursor below its line, for whatever ends this process", () => {
  const screen = makeScreen();
  const { progress, wait } = open(screen);
  progress.report({ type: "download", file: "a.whl", received: 1 });
  wait(100);
  screen.write("$ ");
  assertEquals(screen.lines().at(-1), "$");
});

for (const [columns, rows] of [[80, 24], [20, 5], [200, 3], [10, 24], [1, 1]]) {
  Deno.test(`openProgress() shows 30 downloads on ${columns} by ${rows}`, () => {
    const screen = makeScreen({ columns, rows });
    const { progress, clock, wait } = open(screen);
    const files = Array.from({ length: 30 }, (_, at) => `wheel-${at}.whl`);
    {
      using _ = progress;
      while (clock.ms < 1000) {
        for (const file of files) {
          progress.report({ type: "download", file, received: clock.ms });
        }
        wait(100);
      }
      assert(
        screen.highest() <= 1,
        `${screen.highest()}`,
      );
      for (const file of files) {
        progress.report({ type: "downloaded", file, size: 1024, local: false });
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
  assertEquals(screen.raw(), "a\\u000db\\u001b[2Jc\\u0007d\n");
});
