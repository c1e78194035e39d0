import { printable } from "../../log.ts";
import { join } from "node:path";
import { writeWhole } from "../../disk.ts";
import { EXIT, maybe, reasonOf, UserError } from "../../errors.ts";
import type { RunFile } from "../../protocol/run_files.ts";
import type { Image, RunResult } from "../../protocol/run_result.ts";
import { toFramedPage } from "../../frames/to_framed_page.ts";
import { folderOf, isWorkspacePath } from "../../protocol/workspace_path.ts";
import { ENDINGS } from "../../results/result_images.ts";

/**
 * Files, pictures and pages of a run; hidden files are what libraries keep for later.
 *
 * @param folder Where each picture and page takes a name that is free.
 */
export function toFiles(
  { written = [], images = [], pages = [] }: Pick<
    RunResult,
    "written" | "images" | "pages"
  >,
  folder?: string,
): RunFile[] {
  const files = written.filter(({ path }) => !isHidden(path));
  // A folder has its name, too.
  const taken = new Set(files.map(({ path }) => path.split("/")[0]));
  const isTaken = (name: string) =>
    taken.has(name) || folder !== undefined &&
      maybe(() => Deno.lstatSync(join(folder, name))) !== undefined;
  const namesOf = (kind: string) => {
    let number = 0;
    return (ending: string) => {
      let path;
      do path = `${kind}-${++number}.${ending}`; while (isTaken(path));
      return path;
    };
  };
  const pictureName = namesOf("picture");
  for (const image of images) {
    const path = pictureName(ENDINGS[image.mimeType]);
    files.push({ path, bytes: toBytes(image) });
  }
  const pageName = namesOf("page");
  for (const { html, title } of pages) {
    const bytes = new TextEncoder().encode(toFramedPage(html, { title }));
    files.push({ path: pageName("html"), bytes });
  }
  return files;
}

function toBytes({ mimeType, data }: Image): Uint8Array<ArrayBuffer> {
  return mimeType === "image/svg+xml"
    ? new TextEncoder().encode(data)
    : Uint8Array.fromBase64(data);
}

/** A line about files, which are in a folder, if any. */
export function describeFiles(
  paths: readonly string[],
  out?: string,
): string[] {
  const { length } = paths;
  if (length === 0) return [];
  const names = paths.slice(0, 3).map((path) => JSON.stringify(path));
  const list = [...names, ...(length > 3 ? [`${length - 3} more`] : [])].join(
    ", ",
  );
  return out === undefined
    ? [
      printable(
        `Not kept: ${list}. Keep files, pictures and pages with --out DIR.`,
      ),
    ]
    : [printable(`In ${out}: ${list}`)];
}

/**
 * Makes a folder, where files can be saved; gives its real path.
 *
 * @throws {UserError} If it cannot be made.
 */
export async function makeFolder(folder: string): Promise<string> {
  try {
    await Deno.mkdir(folder, { recursive: true });
    return await Deno.realPath(folder);
  } catch (error) {
    throw new UserError(
      `Cannot save files in ${folder}: ${reasonOf(error)}. Name another --out.`,
      EXIT.usage,
    );
  }
}

/**
 * Writes files of a hostile guest below a folder, over files of the same names.
 * Nothing outside of the folder is written: a link on the way is an error, and a
 * link in the place of a file is replaced.
 *
 * @param folder Its real path.
 * @returns Paths that were saved, and a sentence for each file that could not be.
 */
export async function saveFiles(
  files: readonly RunFile[],
  folder: string,
  system: { os: string } = Deno.build,
): Promise<{ saved: string[]; failures: string[] }> {
  const saved: string[] = [];
  const failures: string[] = [];
  for (const file of files) {
    try {
      await save(file, folder, system);
      saved.push(file.path);
    } catch (error) {
      const name = JSON.stringify(file.path);
      failures.push(`Cannot save ${name}: ${reasonOf(error)}`);
    }
  }
  return { saved, failures };
}

async function save(
  { path, bytes }: RunFile,
  folder: string,
  { os }: { os: string },
): Promise<void> {
  const refused = os === "windows" ? NOT_ON_WINDOWS : NOT_IN_A_NAME;
  const names = path.split("/");
  if (
    !isWorkspacePath(path) || isHidden(path) ||
    names.some((name) => refused.test(name))
  ) throw new RangeError("no file here may have this name");
  const place = await openFolder(folder, folderOf(path));
  // Of a short name, as the file's own may be as long as a name can be.
  const draft = join(place, `saving-${crypto.randomUUID()}`);
  await writeWhole(join(folder, path), bytes, draft);
}

/** Makes the folders on a path, none of them through a link. */
async function openFolder(folder: string, path: string): Promise<string> {
  let place = folder;
  for (const name of path.split("/").filter((name) => name !== "")) {
    place = join(place, name);
    await Deno.mkdir(place).catch((error) => {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    });
    if (!(await Deno.lstat(place)).isDirectory) {
      throw new RangeError(
        `${JSON.stringify(name)} is there, and is not a folder`,
      );
    }
  }
  return place;
}

/** Whether a path has a hidden name, as those that set up programs: `.git`. */
function isHidden(path: string): boolean {
  return path.split("/").some((name) => HIDDEN.test(name));
}

/** Some disks of macOS ignore characters that are not seen. */
const HIDDEN = /^\p{Cf}*\./u;
/** A terminal would obey control characters. */
const NOT_IN_A_NAME = /\p{Cc}/u;
/** `GIT~1` is `.git` there, as each name may have a second, short form. */
const NOT_ON_WINDOWS =
  /[\p{Cc}<>:"\\|?*]|[. ]$|~\d|^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d¹²³])(\.|$)/iu;
