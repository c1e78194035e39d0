/**
 * The tree's own rule, as the gate checks it: imports point one way. A folder
 * may import itself and the folders below it; a process never imports another
 * process, and no files import each other in a circle.
 *
 * @module
 */
import { readdir } from "node:fs/promises";
import { join, posix, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { EXIT } from "../src/errors.ts";
import { log, print } from "../src/log.ts";

/** Folders of `src/`, the lowest floor first; those of a line are side by side. */
const FLOORS = [
  ["frames"],
  ["grants"],
  ["requirements"],
  ["protocol"],
  ["wit"],
  ["wit"],
  ["settings"],
  ["results"],
  ["engines"],
  ["catalog"],
  ["environments"],
  [
    ...[
      "launcher",
      "installer",
      "preloader",
      "server",
      "keeper",
      "sandbox",
      "bridge",
      "component",
    ],
    ...["page", "library"],
  ],
  // The app is made of the page's parts.
  ["cli", "app"],
];
/** Files of `src/` itself that each floor may import. */
const GROUND = [
  "deadline.ts",
  "deferred.ts",
  "did_you_mean.ts",
  "disk.ts",
  "errors.ts",
  "log.ts",
  "semaphore.ts",
  "settings.ts",
  "shares.ts",
  "signals.ts",
  "units.ts",
  "version.ts",
];
/** Files of `src/` itself that may import each floor. */
const ROOF = ["mod.ts"];

/** Files that one file alone may import from outside: another kind can stand beside them. */
const SEAMS: { inside: RegExp; door: string }[] = [
  {
    inside: /^server\/pool\/(local_|sandbox|stock)/,
    door: "server/pool/start_pool.ts",
  },
];

/** The files that each file imports, by path below `src/`. */
type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** Sentences for the imports that break the rule; empty if none does. */
export function findFaults(graph: ImportGraph): string[] {
  return [
    ...[...graph.keys()].filter((file) => floorOf(file) === undefined)
      .map((file) => `${file} lies on no floor.`),
    ...[...graph].flatMap(([file, imports]) =>
      imports.filter((other) => !mayImport(file, other))
        .map((other) => `${file} imports ${other}.`)
    ),
    ...findCircles(graph).map((circle) => `${circle.join(" → ")} is a circle.`),
  ];
}

function mayImport(file: string, imported: string): boolean {
  const [from, to] = [floorOf(file), floorOf(imported)];
  if (from === undefined || to === undefined) return true;
  // Which floors settings take their types from is for the circles to say.
  const isShut = SEAMS.some(({ inside, door }) =>
    inside.test(imported) && !inside.test(file) && file !== door
  );
  if (isShut) return false;
  if (GROUND.includes(file)) return to < FLOORS.length - 2;
  return from > to || folderOf(file) === folderOf(imported);
}

function floorOf(file: string): number | undefined {
  if (GROUND.includes(file)) return -1;
  if (ROOF.includes(file)) return FLOORS.length;
  const floor = FLOORS.findIndex((folders) => folders.includes(folderOf(file)));
  return floor < 0 ? undefined : floor;
}

function folderOf(file: string): string {
  return file.includes("/") ? file.slice(0, file.indexOf("/")) : "";
}

function findCircles(graph: ImportGraph): string[][] {
  const circles: string[][] = [];
  const done = new Set<string>();
  const visit = (file: string, path: string[]) => {
    const at = path.indexOf(file);
    if (at >= 0) circles.push([...path.slice(at), file]);
    if (at >= 0 || done.has(file)) return;
    for (const other of graph.get(file) ?? []) visit(other, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return circles;
}

/** Reads what each source file imports, types included; tests are left out. */
async function readImports(folder: string): Promise<ImportGraph> {
  const files = (await readdir(folder, { recursive: true }))
    .filter((file) => /(?<!_test)\.ts$/.test(file))
    .map((file) => file.replaceAll(sep, "/")).sort();
  return new Map(
    await Promise.all(files.map(async (file) => {
      const text = await Deno.readTextFile(join(folder, file));
      const imports = [...text.replace(COMMENT, "").matchAll(IMPORT)]
        .map(([, path = ""]) => posix.join(posix.dirname(file), path))
        .filter((path) => !path.startsWith(".."));
      return [file, imports] as const;
    })),
  );
}

const IMPORT = /(?:\bfrom|\bimport|\bimport\()\s*"(\.[^"]+\.ts)"/g;
const COMMENT = /^ *(\*|\/\/|\/\*).*$/gm;

if (import.meta.main) {
  const folder = fileURLToPath(import.meta.resolve("../src"));
  const graph = await readImports(folder);
  const faults = findFaults(graph);
  faults.forEach(log);
  if (faults.length > 0) Deno.exit(EXIT.failure);
  print(`Imports of ${graph.size} files point one way.\n`);
}
