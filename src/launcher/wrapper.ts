import { basename } from "node:path";
import process from "node:process";
import { maybe } from "../errors.ts";
import { HANGUP } from "../signals.ts";

/** Time between two looks. */
const LOOK_MS = 500;
/** A terminal that goes away sends SIGHUP to all of its processes at once. */
const SAME_HANGUP_MS = 10_000;
/** A wrapper starts this program by a shell, and npm's package of Deno by Node. */
const LINKS = /^(sh|dash|bash|ash|zsh|busybox|node)$/;
const MOST_LINKS = 3;
const WRAPPERS = /^(npm|npx|npm-cli\.js|npx-cli\.js|uv|uvx)$/;

/**
 * Has this process end, as by SIGTERM, once the npx or uvx that has started it is gone:
 * a signal for those reaches no program that they have started, or not each signal.
 *
 * @param options.staysAtHangup Whether it stays if its terminal is gone, too, and it prints to
 * none: `nohup` is to keep it, and Node does not let that keep npx.
 */
export function endWithWrapper(
  { staysAtHangup }: { staysAtHangup: boolean },
): void {
  const isThere = findWrapper();
  if (!isThere) return;
  let hungUpAt = -Infinity;
  const mayStay = staysAtHangup &&
    !Deno.stdout.isTerminal() && !Deno.stderr.isTerminal();
  for (const signal of mayStay ? HANGUP : []) {
    Deno.addSignalListener(signal, () => hungUpAt = performance.now());
  }
  let hasGone = false;
  const timer = setInterval(() => {
    if (isThere()) return;
    // A SIGHUP of the same time may be heard of a moment later.
    if (!hasGone) return void (hasGone = true);
    clearInterval(timer);
    if (performance.now() - hungUpAt < SAME_HANGUP_MS) return;
    Deno.kill(Deno.pid, "SIGTERM");
  }, LOOK_MS);
  Deno.unrefTimer(timer);
}

/** Tells whether the wrapper is there still; undefined without one. */
function findWrapper(): (() => boolean) | undefined {
  let pid = Deno.ppid;
  for (let link = 0; link <= MOST_LINKS && pid > 1; link++) {
    const { parent = 0, words = [] } = maybe(() => look(pid)) ?? {};
    if (words.some((word) => WRAPPERS.test(basename(word)))) {
      return maybe(() => follow(pid));
    }
    if (!LINKS.test(basename(words[0] ?? ""))) return;
    pid = parent;
  }
}

/** The parent of a process, and the first two words of its command line. */
function look(pid: number): { parent: number; words: string[] } {
  if (Deno.build.os === "linux") {
    const [, parent] = afterName(Deno.readTextFileSync(`/proc/${pid}/stat`));
    const line = Deno.readTextFileSync(`/proc/${pid}/cmdline`);
    return { parent: Number(parent), words: firstWords(line) };
  }
  const { stdout } = new Deno.Command("ps", {
    args: ["-o", "ppid=,command=", "-p", String(pid)],
    ...{ stdin: "null", stderr: "null" },
  }).outputSync();
  const line = new TextDecoder().decode(stdout).trim();
  const parent = Number.parseInt(line);
  return { parent, words: firstWords(line.replace(/^\d+\s+/, "")) };
}

function firstWords(line: string): string[] {
  return line.split(/[\0 ]/, 2);
}

/** Tells whether a process runs still, also without the permission to read. */
function follow(pid: number): () => boolean {
  if (Deno.build.os !== "linux") {
    return () => maybe(() => process.kill(pid, 0)) ?? false;
  }
  // It is of this process alone, also if another one gets its id.
  const file = Deno.openSync(`/proc/${pid}/stat`);
  const buffer = new Uint8Array(1024);
  return () =>
    maybe(() => {
      file.seekSync(0, Deno.SeekMode.Start);
      const text = buffer.subarray(0, file.readSync(buffer) ?? 0);
      const [state] = afterName(new TextDecoder().decode(text));
      return state !== "Z" && state !== "X";
    }) ?? false;
}

/** The fields of a `stat` behind the name of the process, which may hold any text. */
function afterName(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}
