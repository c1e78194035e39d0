// `wrap`: an MCP server of stdio runs inside walls, and keeps its protocol.
import { join } from "node:path";
import { reasonOf, usageError, UserError } from "../../errors.ts";
import type { Denied, GuestGrants } from "../../grants/guest_grants.ts";
import { log } from "../../log.ts";
import { readLines } from "../../protocol/lines.ts";
import type { Isolation } from "../../settings.ts";
import { findWall } from "../isolation.ts";
import {
  type Closed,
  isRefused,
  maybeAccess,
  type Open,
  toSentence,
} from "./denials.ts";
import {
  type DenoCommand,
  fetchGuest,
  placeGuest,
  toDenoGuest,
} from "./deno_guest.ts";
import { closeLinks } from "./inner_links.ts";
import { toGuestCommand } from "./guest_command.ts";
import { toPolicyText } from "./learn.ts";
import { wrapNative } from "./native_guest.ts";
import { runGuest } from "./run_guest.ts";

export interface WrapOrder {
  /** The server's own command line. */
  words: string[];
  grants: GuestGrants;
  /** Whether the policy that its refusals ask for is written to stderr at its end. */
  learns: boolean;
  isolation: Isolation;
}

/**
 * Runs a server inside the walls of its grants, over this process's own streams.
 *
 * @returns Its exit code.
 * @throws {UserError} If it cannot be run, or its walls cannot be had.
 */
export async function wrap(
  { words, grants, learns, isolation }: WrapOrder,
): Promise<number> {
  const command = toGuestCommand(words);
  const moved = grants.paths.find(({ host, guest }) => host !== guest);
  if (moved) {
    throw usageError(
      `Cannot show "${moved.host}" as "${moved.guest}" to a wrapped server, which sees files at their own paths: leave x-mount out.`,
    );
  }
  switch (command.kind) {
    case "wasm":
      throw new UserError(
        `Cannot wrap "${command.path}", as a component has no transport of its own: serve it by mcp-run-python --wasm ${command.path}@POLICY stdio. A core module is to be made a component first, by wasm-tools component new.`,
      );
    case "native":
      if (learns) {
        throw new UserError(
          `Cannot learn from "${command.program}", which is not JavaScript: no program tells what bubblewrap has refused. Write its policy by hand.`,
        );
      }
      return await runGuest(await wrapNative(command, grants));
    case "npm":
    case "script":
      return await wrapDeno(command, { grants, learns, isolation });
  }
}

async function wrapDeno(
  command: DenoCommand,
  { grants, learns, isolation }: Omit<WrapOrder, "words">,
): Promise<number> {
  const wall = await findWall(isolation);
  const fetched = await fetchGuest(command);
  const placed = placeGuest(grants, fetched);
  const places = wall ? placed : closeLinks(placed);
  // No grant lets the server write there.
  const folder = await Deno.makeTempDir({
    ...{ dir: fetched.denoDir, prefix: "mcp-run-python-wrap-" },
  });
  try {
    const denoDir = wall ? fetched.denoDir : await ownDenoDir(folder, fetched);
    const audit = await openAudit(folder);
    const guest = toDenoGuest(command, fetched, grants, places);
    const variables = {
      ...{ ...guest.variables, DENO_DIR: denoDir },
      ...(audit ? { DENO_AUDIT_PERMISSIONS: audit } : {}),
    };
    const { packages, project, modules } = fetched;
    const walled = wall?.({
      ...{ ...places, runtime: [packages] },
      program: project ? [project] : modules,
      writableMounts: [...places.writableMounts, ...audit ? [audit] : []],
    }, { cwd: Deno.cwd(), variables });
    const told = audit && await tell(audit, {
      ...{ places, variables: grants.variables },
      ...{ own: fetched.own, packages },
    });
    const code = await runGuest({
      words: [...walled ?? [], ...guest.words],
      variables: walled ? {} : variables,
    }, folder);
    const refused = told ? await told() : [];
    if (learns) log(toPolicyText(grants, refused, packages));
    return code;
  } finally {
    await Deno.remove(folder, { recursive: true }).catch(() => {});
  }
}

/** The user's packages in a folder of Deno's of its own, which ends with the run. */
async function ownDenoDir(
  folder: string,
  { packages, denoDir }: { packages: string; denoDir: string },
): Promise<string> {
  if (Deno.build.os === "windows") return denoDir;
  const own = join(folder, "deno");
  await Deno.mkdir(own);
  await Deno.symlink(packages, join(own, "npm"));
  return own;
}

/** Makes the pipe that Deno writes accesses to; undefined where there are none. */
async function openAudit(folder: string): Promise<string | undefined> {
  const path = join(folder, "accesses");
  try {
    const args = ["-m", "600", path];
    const { success } = await new Deno.Command("mkfifo", {
      ...{ args, stdin: "null", stdout: "null", stderr: "null" },
    }).output();
    if (success) return path;
  } catch {
    // Windows has none.
  }
  log("What the server is refused cannot be told here.");
}

/** Longer lines name nothing that a policy could grant. */
const MOST_BYTES = 65_536;
/** More different refusals are not told. */
const MOST_REFUSALS = 1000;

/**
 * Tells of each refusal once.
 *
 * @returns Gives all of them, once the server has ended.
 */
async function tell(
  path: string,
  open: Open,
): Promise<() => Promise<(Denied | Closed)[]>> {
  const cwd = Deno.cwd();
  const refused = new Map<string, Denied | Closed>();
  // With both ends it opens at once, and does not end with the server.
  const file = await Deno.open(path, { read: true, write: true });
  const reading = (async () => {
    const lines = readLines(file.readable, MOST_BYTES, { onLonger() {} });
    for await (const line of lines) {
      const text = new TextDecoder().decode(line);
      if (text === END) break;
      const access = maybeAccess(text, cwd);
      if (!access || !isRefused(access, open)) continue;
      const sentence = toSentence(access, open);
      if (refused.has(sentence) || refused.size >= MOST_REFUSALS) continue;
      refused.set(sentence, access);
      log(sentence);
    }
  })().catch((error) => log(`Cannot read refusals: ${reasonOf(error)}`));
  return async () => {
    file.writeSync(new TextEncoder().encode(`${END}\n`));
    await reading;
    return [...refused.values()];
  };
}

/** The last line, which is not one of Deno's: those are objects. */
const END = "end";
