import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { GUESTS } from "../../scripts/build_guests.ts";
import { gunzip, hashFiles } from "../../scripts/hash_files.ts";
import record from "../guests/guests.json" with { type: "json" };
import { makeOnce } from "./make_once.ts";
import { getPythonPackages, runPython } from "./python_packages.ts";

/** The components that are committed: test/guests/README.md tells what each does. */
export type GuestName = keyof typeof record.components;
export const GUEST_NAMES = Object.keys(record.components) as GuestName[];

/** The guests of the world `mcp-wasm:server`, which all behave alike. */
export const SERVER_GUESTS = ["rust", "javascript", "python"] as const;

/**
 * Gives a guest of the world `mcp-wasm:server`.
 *
 * @param folder Of the test.
 * @returns Its path, or the reason if it cannot be had.
 */
export async function getServerGuest(
  name: typeof SERVER_GUESTS[number],
  folder: string,
): Promise<{ file: string } | { reason: string }> {
  if (name === "python") return await getPythonGuest();
  return { file: await writeGuest(name, folder) };
}

/**
 * Unpacks a component into a folder of the test.
 *
 * @returns Its path: `<name>.wasm` in the folder.
 */
export async function writeGuest(
  name: GuestName,
  folder: string,
): Promise<string> {
  const path = join(folder, `${name}.wasm`);
  await Deno.writeFile(path, await readGuest(name));
  return path;
}

/** The bytes of a component. */
export function readGuest(name: GuestName): Promise<Uint8Array<ArrayBuffer>> {
  return gunzip(new URL(`built/${name}.wasm.gz`, GUESTS));
}

/** The compiler of the guest in Python. */
const COMPONENTIZE = "componentize-py==0.25.1";

/**
 * Gives the guest in Python, whose 18 MB are not committed: it is built once for all tests.
 *
 * @returns Its path in the cache of all tests, or the reason if it cannot be had.
 */
export async function getPythonGuest(): Promise<
  { file: string } | { reason: string }
> {
  const packages = await getPythonPackages(COMPONENTIZE);
  if ("reason" in packages) return packages;
  const sources = await hashFiles(GUESTS, {
    files: ["wit/mcp-wasm-server.wit"],
    folders: ["python/"],
  });
  const folder = await makeOnce(
    `guest-python-${sources.slice(0, 16)}`,
    async (draft) => {
      await runPython(packages, [
        ...["-c", "import componentize_py; componentize_py.script()"],
        ...["--quiet", "--world", "server"],
        ...[
          "--wit-path",
          fileURLToPath(new URL("wit/mcp-wasm-server.wit", GUESTS)),
        ],
        ...["componentize", "--output", join(draft, "python.wasm"), "app"],
        ...["--python-path", fileURLToPath(new URL("python/", GUESTS))],
      ], { cwd: draft });
    },
  );
  return { file: join(folder, "python.wasm") };
}
