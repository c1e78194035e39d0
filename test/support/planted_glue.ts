import { join } from "node:path";
import { keepTranslation } from "../../src/component/slot.ts";
import { sha256 } from "../../src/disk.ts";
import type { GuestGrants } from "../../src/grants/guest_grants.ts";
import {
  type ComponentProcess,
  startComponentProcess,
} from "./component_process.ts";
import { type TempFolder, tempFolder } from "./folder.ts";
import { readGuest, writeGuest } from "./guests.ts";

/** A process whose component's JavaScript is of the test's choice. */
export interface Planted extends AsyncDisposable {
  folder: TempFolder;
  running: ComponentProcess;
  /** The text that its function gave, or the whole answer. */
  run(): Promise<string>;
}

/**
 * Starts a process with JavaScript in the place of what jco makes of a component, which
 * hostile names in a component can add to.
 *
 * @param code The statements of its function `run`, which may wait; or a whole module.
 * `FOLDER` in it is the path of the test's folder, in which `granted/link` leads to
 * `outside/secret`.
 * @param grants Of the folder of the test.
 */
export async function plantGlue(
  code: string,
  grants: (path: string) => Partial<GuestGrants> = () => ({}),
): Promise<Planted> {
  const folder = await tempFolder();
  const [granted, outside] = await folder.make("granted", "outside");
  await Deno.writeTextFile(join(outside, "secret"), "a secret");
  await Deno.symlink(join(outside, "secret"), join(granted, "link"));
  const file = await writeGuest("docs-words", folder.path);
  const hash = sha256(await readGuest("docs-words"));
  const glue = (/^ex|^im/.test(code) ? code : toModule(code))
    .replaceAll("FOLDER", folder.path);
  const slot = join(folder.path, "components", `${hash}-1`);
  await keepTranslation(slot, { glue, modules: {} });
  const running = startComponentProcess(file, {
    ...{ cacheDir: folder.path, grants: grants(folder.path) },
  });
  return {
    ...{ folder, running },
    async run() {
      const answer = await running.tryCall("run", {}, { timeoutMs: 10_000 });
      if (answer.type !== "result") return JSON.stringify(answer);
      const { content } = JSON.parse(answer.result);
      return content.map(({ text }: { text: string }) => text).join("\n");
    },
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function toModule(code: string): string {
  return `export const instantiate = async () => ({ async run() { ${code} } });`;
}

/** Statements that give what each expression came to, as JSON. */
export function telling(steps: Record<string, string>): string {
  const tries = Object.entries(steps).map(([name, step]) =>
    `try { came[${JSON.stringify(name)}] = String(await (${step})) } ` +
    `catch (error) { came[${JSON.stringify(name)}] = "failed: " + error }`
  );
  return `const came = {}; ${tries.join("\n")}\nreturn JSON.stringify(came);`;
}
