/**
 * `deno task mutate`: weakens one wall at a time in a copy of this project, and
 * runs the tests that must notice. It prints each mutation that no test noticed.
 *
 * Arguments: `--changed REV` for mutations of files that differ from a commit;
 * texts that a mutation's name or file must contain. `docs/measuring.md`
 * explains it.
 *
 * @module
 */
import { cp, rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { EXIT } from "../src/errors.ts";
import { log, print } from "../src/log.ts";
import { type Mutation, MUTATIONS } from "../test/mutations/mutation.ts";
import { weaken } from "../test/mutations/weaken.ts";

const ROOT = fileURLToPath(import.meta.resolve("../"));
/** A test that takes much longer than without the mutation has noticed it, too. */
const LEAST_PATIENCE_MS = 20_000;
const PATIENCE = 5;
const NO_END_MS = 600_000;

type Outcome = "noticed" | "survived" | "stale" | "broken";

if (import.meta.main) {
  const chosen = await choose(Deno.args);
  log(`${chosen.length} of ${MUTATIONS.length} mutations`);
  const outcomes = await mutateAll(chosen);
  const wrong = outcomes.filter(([, outcome]) => outcome !== "noticed");
  for (const [{ name, file }, outcome] of wrong) {
    print(`${outcome}: ${name} (${file})\n`);
  }
  print(`${outcomes.length - wrong.length} passed, ${wrong.length} failed\n`);
  Deno.exit(wrong.length > 0 ? EXIT.failure : EXIT.ok);
}

async function choose(args: string[]): Promise<Mutation[]> {
  const [first, revision = "HEAD~1", ...rest] = args;
  const isChanged = first === "--changed";
  const words = isChanged ? rest : args;
  const files = isChanged && await git("diff", "--name-only", revision);
  return MUTATIONS.filter(({ name, file }) =>
    (!files || files.includes(file)) &&
    words.every((word) => name.includes(word) || file.includes(word))
  );
}

/** Runs as many mutations at a time as this machine has cores. */
async function mutateAll(mutations: Mutation[]) {
  const waiting = [...mutations];
  const outcomes: [Mutation, Outcome][] = [];
  const files = await git(
    ...["ls-files", "--cached", "--others", "--exclude-standard"],
  );
  /** The time that each set of tests takes without a mutation, in ms. */
  const sound = new Map<string, Promise<number | undefined>>();
  const work = async () => {
    const copy = await Deno.makeTempDir({ prefix: "mcp-run-python-mutate-" });
    try {
      await copyTree(files, copy);
      for (let next; (next = waiting.shift());) {
        const key = JSON.stringify([next.tests, next.filter]);
        const tried = sound.get(key) ?? timeOf(copy, next);
        sound.set(key, tried);
        const soundMs = await tried;
        const started = Date.now();
        const outcome = soundMs === undefined
          ? "broken"
          : await mutate(copy, next, soundMs);
        outcomes.push([next, outcome]);
        const seconds = Math.round((Date.now() - started) / 1000);
        const done = `${outcomes.length}/${mutations.length}`;
        log(`${done} ${outcome}: ${next.name} (${seconds} s)`);
      }
    } finally {
      await rm(copy, { recursive: true, force: true });
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return outcomes;
}

/** The time that tests take, in ms; undefined if they fail. */
async function timeOf(copy: string, mutation: Mutation) {
  const started = Date.now();
  const isSound = await passes(copy, mutation, NO_END_MS);
  return isSound ? Date.now() - started : undefined;
}

async function mutate(
  copy: string,
  mutation: Mutation,
  soundMs: number,
): Promise<Outcome> {
  const path = join(copy, mutation.file);
  const source = await Deno.readTextFile(path);
  let weak;
  try {
    weak = weaken(mutation.file, source, mutation);
  } catch (error) {
    log(Object(error).message);
    return "stale";
  }
  await Deno.writeTextFile(path, weak);
  try {
    const patienceMs = Math.max(LEAST_PATIENCE_MS, PATIENCE * soundMs);
    return await passes(copy, mutation, patienceMs) ? "survived" : "noticed";
  } finally {
    await Deno.writeTextFile(path, source);
    // A mutated installer may have left anything in it.
    await copyCache(copy);
  }
}

/** Whether the tests of a mutation pass; without types, which are not at stake. */
async function passes(
  copy: string,
  { tests, filter }: Mutation,
  patienceMs: number,
): Promise<boolean> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["test", "-A", "--no-check", "--quiet", "--fail-fast"],
      ...(filter === undefined ? [] : ["--filter", filter]),
      ...tests,
    ],
    cwd: copy,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const late = setTimeout(() => child.kill("SIGKILL"), patienceMs);
  const { success } = await child.status;
  clearTimeout(late);
  return success;
}

async function copyTree(files: string[], to: string): Promise<void> {
  for (const file of files) {
    await Deno.mkdir(dirname(join(to, file)), { recursive: true });
    await Deno.copyFile(join(ROOT, file), join(to, file));
  }
  await copyCache(to);
}

/** The cache of the tests: making Python's snapshot anew takes seconds. */
async function copyCache(to: string): Promise<void> {
  const cache = join(to, ".cache/test");
  await rm(cache, { recursive: true, force: true });
  await cp(join(ROOT, ".cache/test"), cache, { recursive: true })
    .catch(() => {});
}

async function git(...args: string[]): Promise<string[]> {
  const command = new Deno.Command("git", { args, cwd: ROOT });
  const { stdout, success, stderr } = await command.output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(decoder.decode(stderr));
  return decoder.decode(stdout).split("\n").filter((line) => line !== "");
}
