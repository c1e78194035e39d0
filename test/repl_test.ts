/**
 * `repl`, a Python prompt in the sandbox: through a pipe, and on a terminal.
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { CACHE, CLI, command } from "./support/command.ts";
import { namesIn, tempFolder } from "./support/folder.ts";
import { NEVER_MS, processesNamed } from "./support/processes.ts";
import { PTY, whyNoPty } from "./support/pty.ts";
import { makeScreen } from "./support/screen.ts";

const NO_PTY = await whyNoPty();
if (NO_PTY) log(`skipped: repl on a terminal: ${NO_PTY}`);

Deno.test("repl: another engine shows values, and knows when a block is whole", async () => {
  const { stdout, code } = await command(["repl", "--engine", "monty"], {
    stdin: `x = 20
x + 1
None
'a'
for i in range(2):
    print(i)

(1,
2)
`,
  });
  assertEquals(stdout, "21\n'a'\n0\n1\n(1, 2)\n");
  assertEquals(code, 0);
});

Deno.test("repl: the lines of a pipe run one after another, as in python -i", async () => {
  await using temp = await tempFolder();
  const [out] = await temp.make("out");
  await Deno.writeTextFile(join(out, "picture-1.svg"), "old");
  const { stdout, stderr, code } = await command(
    ["repl", "--out", out],
    {
      cwd: temp.path,
      stdin: `x = 20
x + 1
_
None
def double(n):
    """A text with

    an empty line."""
    return 2 * n

double(x) + double(
1)
for i in range(2): i

1 / 0
name = input("name? ")
Ada, and é
print(name, end=" ")
name
await __import__("asyncio").sleep(0, "waited")
return
class Picture:
    def _repr_svg_(self): return "<svg/>"

display(Picture())
open("kept.txt", "w").write("text")
import sys; print("error", file=sys.stderr)
x
def last():
    return x

for _ in range(1):
    last()`,
    },
  );
  assertEquals(stdout.split("\n"), [
    ...["21", "21", "42", "0", "1"],
    ...["name? Ada, and é 'Ada, and é'", "'waited'", "4", "20", "20", ""],
  ]);
  assertMatch(stderr, /^Traceback [^]*\n {4}1 \/ 0\n[^]*\nZeroDivisionError: /);
  assertMatch(stderr, /SyntaxError: 'return' outside function\n/);
  assertMatch(stderr, /\nIn out: "picture-2\.svg"\n/);
  assertMatch(stderr, /\nIn out: "kept\.txt"\nerror\n$/);
  assertEquals(
    await namesIn(out),
    ["kept.txt", "picture-1.svg", "picture-2.svg"],
  );
  assertEquals(await Deno.readTextFile(join(out, "picture-1.svg")), "old");
  assertEquals(code, 0);
});

Deno.test("repl: exit() ends it with the code's exit code, and a lost state is told", async () => {
  const lines =
    "x = 1\ny = [bytearray(2 ** 29)]\nx\nimport os\nos._exit(9)\nx\nimport sys\nsys.exit(3)\n1";
  const lost = await command(["--memory", "256", "repl"], { stdin: lines });
  assertEquals([lost.stdout, lost.code], ["1\n", 3]);
  assertMatch(
    lost.stderr,
    /256 MiB[^]*exit\(9\)\.\nThe interpreter has ended: all variables and files are gone\.\n[^]*\nNameError: name 'x' is not defined\n$/,
  );
  const told = await command(["repl"], { stdin: "raise SystemExit('why')" });
  assertEquals([told.stdout, told.stderr, told.code], ["", "why\n", 1]);
});

Deno.test({
  name:
    "repl: a terminal shows what Python's own prompt shows; Ctrl-C ends code alone",
  ignore: Boolean(NO_PTY),
  async fn() {
    await using temp = await tempFolder();
    {
      await using prompt = startPrompt(temp.path);
      await prompt.shows(/Ctrl-D ends it\.\r\n/);
      await prompt.answers("");
      await prompt.answers("numbers = [4, 2]\r");
      if (Deno.build.os === "linux") {
        assertEquals(processesNamed("sandbox", prompt.pid).length, 1);
      }
      await prompt.answers("globals()['numb\\x1b]0;'] = 1\r");
      prompt.type("num");
      await prompt.shows(/num/);
      prompt.type("\t");
      await prompt.shows(/bers/);
      await prompt.answers("[0]\r");
      await prompt.answers("for n in numbers:\r");
      await prompt.answers("    print(n)\r");
      await prompt.answers("\r");
      await prompt.answers("1 / 0\r");
      prompt.type("name = input('name? ')\r");
      await prompt.shows(/\nname\? /);
      await prompt.answers("Ada\r");
      await prompt.answers("print(name, end=' ')\r");
      await prompt.answers("not run\x03");
      await prompt.answers("def unfinished():\r");
      await prompt.answers("\x03");
      // Several lines are pasted, and input() is given up.
      prompt.type("import time\rinput('never ')\r");
      await prompt.shows(/\nnever /);
      await prompt.answers("\x03");
      prompt.type("for _ in [print('on')]: time.sleep(1000)\r\r");
      await prompt.shows(/\non\r/);
      await prompt.answers("\x03");
      await prompt.answers("'éa\x7f'\r");
      await prompt.answers("print('\\x1b]0;title')\r");
      await prompt.answers("numbers\r");
      assertEquals(await prompt.ends("\x04"), 0);
      assertEquals(prompt.lines(), [
        ">>> numbers = [4, 2]",
        ">>> globals()['numb\\x1b]0;'] = 1",
        ">>> numbers[0]",
        "4",
        ">>> for n in numbers:",
        "...     print(n)",
        "...",
        "4",
        "2",
        ">>> 1 / 0",
        "Traceback",
        "ZeroDivisionError: division by zero",
        ">>> name = input('name? ')",
        "name? Ada",
        ">>> print(name, end=' ')",
        "Ada >>> not run",
        "KeyboardInterrupt",
        ">>> def unfinished():",
        "...",
        "KeyboardInterrupt",
        ">>> import time",
        ">>> input('never ')",
        "never ^CTraceback",
        "KeyboardInterrupt",
        ">>> for _ in [print('on')]: time.sleep(1000)",
        "...",
        "on",
        "^CTraceback",
        "KeyboardInterrupt",
        ">>> 'é'",
        "'é'",
        ">>> print('\\x1b]0;title')",
        "␛]0;title",
        ">>> numbers",
        "[4, 2]",
        ">>>",
      ]);
    }
    await using prompt = startPrompt(temp.path);
    await prompt.answers("");
    // The last line of the other prompt.
    await prompt.answers("\x1b[A\r");
    assertEquals(await prompt.ends("exit(7)\r"), 7);
    assertEquals(prompt.lines().slice(0, 1), [">>> numbers"]);
    const history = join(temp.path, "mcp-run-python", "history");
    assertEquals(((await Deno.stat(history)).mode ?? 0) & 0o777, 0o600);
    const kept = (await Deno.readTextFile(history)).split("\n");
    assertEquals(kept.slice(-4), [
      ...["print('\\x1b]0;title')", "numbers", "exit(7)", ""],
    ]);
    // Only code is kept.
    assertEquals(kept.includes("Ada"), false);
  },
});

/** Starts `repl` on a terminal, and types there. */
function startPrompt(folder: string) {
  const args = ["run", "-A", "--quiet", CLI, "--cache-dir", CACHE, "repl"];
  const child = new Deno.Command("python3", {
    args: [PTY, "--stdout", Deno.execPath(), ...args],
    env: { TERM: "xterm", XDG_STATE_HOME: folder },
    cwd: folder,
    ...{ stdin: "piped", stdout: "null", stderr: "piped" },
  }).spawn();
  const typing = child.stdin.getWriter();
  const reader = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let all = "";
  let seen = 0;
  return {
    pid: child.pid,
    type: (text: string) => void typing.write(new TextEncoder().encode(text)),
    /** Waits until new text on the terminal has a pattern. */
    async shows(pattern: RegExp): Promise<void> {
      const limit = setTimeout(() => child.kill("SIGKILL"), NEVER_MS);
      let found;
      while (!(found = pattern.exec(all.slice(seen)))) {
        const { value } = await reader.read();
        assert(value !== undefined, `${pattern} not in ${all.slice(seen)}`);
        all += value;
      }
      clearTimeout(limit);
      seen += found.index + found[0].length;
    },
    /** Types, and waits for the next prompt. */
    async answers(text: string): Promise<void> {
      this.type(text);
      // deno-lint-ignore no-control-regex
      await this.shows(/\x1b\[\?25h.*(>>>|\.\.\.) \x1b\[\d+G/);
    },
    async ends(text: string): Promise<number> {
      this.type(text);
      for (let piece; (piece = await reader.read(), !piece.done);) {
        all += piece.value;
      }
      return (await child.status).code;
    },
    /** Without the banner, and the frames of errors: Ctrl-C can come anywhere. */
    lines() {
      const screen = makeScreen();
      screen.write(all);
      return screen.lines().slice(1).join("\n").replaceAll(
        /(Traceback) \(most recent call last\):\n[^]*?\n(?=\w+(Error|Interrupt))/g,
        "$1\n",
      ).split("\n");
    },
    async [Symbol.asyncDispose]() {
      await typing.close().catch(() => {});
      await reader.cancel();
      await child.status;
    },
  };
}
