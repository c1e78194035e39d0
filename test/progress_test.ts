/**
 * What an install shows on a real terminal.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { makeCache } from "./support/cache.ts";
import { CLI } from "./support/command.ts";
import { startIndex } from "./support/index_server.ts";
import { PTY, whyNoPty } from "./support/pty.ts";
import { makeScreen } from "./support/screen.ts";
import { wheel } from "./support/wheel.ts";

const NO_PTY = await whyNoPty();
if (NO_PTY) log(`skipped: progress on a terminal: ${NO_PTY}`);

const fixture = wheel({ name: "mrp-fixture-good" });
const file = `/files/${fixture.filename}`;

/** Runs the real command on a terminal. */
function start(
  args: string[],
  onText: (text: string) => void = () => {},
  env: Record<string, string> = {},
) {
  const child = new Deno.Command("python3", {
    args: [PTY, Deno.execPath(), "run", "-A", "--quiet", CLI, ...args],
    env: { TERM: "xterm", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const shown = (async () => {
    let all = "";
    for await (
      const text of child.stderr.pipeThrough(new TextDecoderStream())
    ) {
      all += text;
      onText(all);
    }
    return all;
  })();
  return { child, shown };
}

function screenOf(text: string): string[] {
  const screen = makeScreen();
  // The terminal's driver adds the CR.
  screen.write(text);
  return screen.lines();
}

Deno.test({
  name:
    "an install on a terminal draws one line of progress, and leaves only lines",
  ignore: Boolean(NO_PTY),
  async fn() {
    await using cache = await makeCache();
    const seen = Promise.withResolvers<string[]>();
    const waited = Promise.withResolvers<undefined>();
    await using index = startIndex([fixture], {
      answers: {
        "/simple/mrp-fixture-good/": () => waited.promise,
        [file]: () => slowly(fixture.bytes, seen.promise),
      },
    });
    const { child, shown } = start(
      [
        ...["--cache-dir", cache.folder, "--index-url", index.url],
        ...["--deps", "mrp-fixture-good", "install"],
      ],
      (text) => {
        const [, line = ""] = screenOf(text);
        if (/^[\u2801-\u28ff] \d+ s$/.test(line)) waited.resolve(undefined);
        if (text.includes("Downloading 1")) seen.resolve(screenOf(text));
      },
    );
    const stdout = await new Response(child.stdout).text();
    const text = await shown;
    assertEquals((await child.status).code, 0, text);
    const [, ...line] = await seen.promise;
    assertMatch(
      line.join("\n"),
      /^Downloading 1 of 1 +\d+ KiB of \d+ KiB.*$/,
    );
    assertEquals(screenOf(text), [
      "Resolving mrp-fixture-good",
      `Downloaded ${fixture.filename} (2 KiB)`,
      "Compiling",
      "Importing mrp_fixture_good",
      "Installed 1 package",
    ]);
    assertMatch(
      stdout,
      /^Python 3\.\d+\.\d+ .*\nmrp-fixture-good 1\.0\nin .*\n$/,
    );
  },
});

Deno.test({
  name: "an install on a terminal that fails leaves the error alone",
  ignore: Boolean(NO_PTY),
  async fn() {
    await using cache = await makeCache();
    const seen = Promise.withResolvers<string[]>();
    const wrong = { ...fixture, sha256: "0".repeat(64) };
    await using index = startIndex([wrong], {
      answers: { [file]: () => slowly(fixture.bytes, seen.promise) },
    });
    const { child, shown } = start(
      [
        ...["--cache-dir", cache.folder, "--index-url", index.url],
        ...["--deps", "mrp-fixture-good", "install"],
      ],
      (text) => {
        if (text.includes("Downloading 1")) seen.resolve(screenOf(text));
      },
    );
    const stdout = await new Response(child.stdout).text();
    const text = await shown;
    assertEquals([(await child.status).code, stdout], [1, ""]);
    const lines = screenOf(text);
    assertEquals(lines[0], "Resolving mrp-fixture-good");
    assertMatch(String(lines[1]), /^error: Cannot trust mrp_fixture_good/);
    assert(!lines.some((line) => line.includes("\u2591")), lines.join("\n"));
  },
});

Deno.test({
  name: "an error is red on a terminal, unless the user wants no colours",
  ignore: Boolean(NO_PTY),
  async fn() {
    const errors = ["", "1"].map((NO_COLOR) =>
      start(["http"], undefined, { NO_COLOR }).shown
    );
    const [red = "", plain = ""] = await Promise.all(errors);
    assert(red.startsWith("\x1b[1;31merror: \x1b[0mUnknown command"), red);
    assert(plain.startsWith("error: Unknown command"), plain);
  },
});

/** A body whose rest comes when something has happened. */
function slowly(
  bytes: Uint8Array<ArrayBuffer>,
  event: Promise<unknown>,
): Response {
  const half = bytes.length >> 1;
  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue(bytes.slice(0, half));
      await event;
      controller.enqueue(bytes.slice(half));
      controller.close();
    },
  });
  return new Response(body);
}
