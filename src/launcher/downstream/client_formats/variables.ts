import { posix, win32 } from "node:path";
import { reasonOf } from "../../../errors.ts";
import { type FilePlace, Unusable } from "./format.ts";

/** Fills in the variables of a text. */
export type Fill = (text: string) => string;

/** Variables as Claude Code writes them: `${VAR}` and `${VAR:-default}`. */
export function fillShell({ env }: FilePlace): Fill {
  return (text) =>
    text.replace(
      /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g,
      (_, name: string, usual?: string) =>
        env[name] || (usual ?? valueOf(name, env)),
    );
}

/** Variables as Gemini CLI writes them: `$VAR`, too. */
export function fillDollar(place: FilePlace): Fill {
  const { env } = place;
  const fillBraces = fillShell(place);
  return (text) =>
    text.split(/(\$\{[^}]*\})/).map((part) =>
      part.startsWith("${") ? fillBraces(part) : part.replace(
        /\$([A-Za-z_]\w*)/g,
        (_, name: string) => valueOf(name, env),
      )
    ).join("");
}

/** Variables as VS Code, Cursor and Windsurf write them, such as `${env:VAR}`. */
export function fillEditor(place: FilePlace): Fill {
  const { sep, basename } = place.os === "windows" ? win32 : posix;
  const known = new Map([
    ["userHome", place.home],
    ["workspaceFolder", place.cwd],
    ["workspaceRoot", place.cwd],
    ["cwd", place.cwd],
    ["workspaceFolderBasename", basename(place.cwd)],
    ["pathSeparator", sep],
    ["/", sep],
  ]);
  return (text) =>
    text.replace(/\$\{([^}]+)\}/g, (whole, word: string) => {
      const [kind = "", ...rest] = word.split(":");
      const name = rest.join(":");
      if (kind === "env") return valueOf(name, place.env);
      if (kind === "file") return contentsOf(name, place);
      if (kind === "input") {
        throw new Unusable(
          `VS Code asks the user for its input "${name}"`,
          `Name the server in a file of --mcp-config, with \${env:NAME} in place of \${input:${name}}.`,
        );
      }
      const value = known.get(word);
      if (value !== undefined) return value;
      // Such as ${VAR} for a shell that the entry starts.
      if (!EDITOR_ONLY.test(word)) return whole;
      throw new Unusable(
        `only its editor knows \${${word}}`,
        "Write the value itself in its place.",
      );
    });
}

const EDITOR_ONLY =
  /^(command|config|extensionInstallFolder):|^(file((Basename|Dirname|Extname|WorkspaceFolder)\w*)?|relativeFile(Dirname)?|selectedText|lineNumber|columnNumber|execPath|userHome|defaultBuildTask)$/;

/** Variables as opencode writes them: `{env:VAR}` and `{file:path}`. */
export function fillBraces(place: FilePlace): Fill {
  return (text) =>
    text.replace(
      /\{(env|file):([^}]+)\}/g,
      (_, kind: string, name: string) =>
        kind === "env" ? valueOf(name, place.env) : contentsOf(name, place),
    );
}

/** The spellings of Claude Code and of the editors. */
export function fillAny(place: FilePlace): Fill {
  const fillers = [fillEditor(place), fillShell(place)];
  return (text) => {
    // A value that was filled in stays as it is.
    const parts = text.split(/(\$\{[^}]*\})/);
    return parts.map((part) => {
      for (const fill of fillers) {
        const filled = fill(part);
        if (filled !== part) return filled;
      }
      return part;
    }).join("");
  };
}

export const fillNothing: Fill = (text) => text;

/** The value of a variable of this program. */
export function valueOf(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (value !== undefined) return value;
  throw new Unusable(
    `the variable ${name} is not set`,
    `Set ${name} where this program starts, or write its value in the file.`,
  );
}

/** The text of a file that an entry names. */
export function contentsOf(name: string, place: FilePlace): string {
  const path = toAbsolute(name, place);
  try {
    return place.readTextFile(path).trim();
  } catch (error) {
    throw new Unusable(`its file "${path}" cannot be read: ${reasonOf(error)}`);
  }
}

/** A path of an entry; `~` is the home folder. */
export function toAbsolute(
  text: string,
  { folder, home, os }: Pick<FilePlace, "folder" | "home" | "os">,
): string {
  const { join, resolve } = os === "windows" ? win32 : posix;
  return home && /^~($|[\\/])/.test(text)
    ? join(home, text.slice(1))
    : resolve(folder, text);
}
