import { assertEquals } from "../../deps/assert.ts";
import {
  GRANTED,
  PERMISSION_KINDS,
  PERMISSIONS,
  type Scope,
} from "./permissions.ts";

/** A second copy of the table: widening a row takes a change in both. */
const TABLE = {
  installer: {
    read: ["cache", "sources", "runtime", "program"],
    write: ["cache"],
    net: ["any"],
  },
  offlineInstaller: {
    read: ["cache", "sources", "runtime", "program"],
    write: ["cache"],
  },
  preloader: { read: ["environment", "runtime", "program"] },
  launcher: { run: ["any"] },
  server: { net: ["listen", "issuer"] },
  keeper: { read: ["kept"], write: ["kept"] },
  bridge: { net: ["serverHost"], run: ["serverProgram"] },
  sandbox: {
    read: ["environment", "runtime", "program", "mounts"],
    write: ["writableMounts"],
    net: ["hosts"],
  },
  worker: { read: ["glue", "mounts"], write: ["writableMounts"] },
  component: {
    read: ["component", "slot", "program", "mounts"],
    write: ["slot", "writableMounts"],
    net: ["hosts"],
  },
  componentWorker: {
    read: ["mounts"],
    write: ["writableMounts"],
    net: ["hosts"],
  },
  wrapped: {
    read: ["ownPackages", "mounts"],
    write: ["writableMounts"],
    net: ["hosts"],
  },
};

/** Rows and scopes as `docs/security.md` calls them. */
const PROCESSES = {
  "– offline": "offlineInstaller",
  "– its worker": "componentWorker",
};
const SCOPES: Record<string, Scope> = {
  ...{ cache: "cache", sources: "sources", any: "any", mounts: "mounts" },
  ...{ "its environment": "environment", "engine's files": "runtime" },
  ...{ "own program": "program", "granted hosts": "hosts" },
  ...{ "writable mounts": "writableMounts", "linked JavaScript": "glue" },
  ...{ "its folder": "kept", "its file": "component", "its slot": "slot" },
  "own packages": "ownPackages",
  ...{ "its address": "listen", "issuer of tokens": "issuer" },
  ...{ "its server's host": "serverHost" },
  ...{ "its server's program": "serverProgram" },
};

Deno.test("PERMISSIONS is the table that was agreed on", () => {
  assertEquals(PERMISSIONS, TABLE);
});

Deno.test("PERMISSION_KINDS names every kind of permission that Deno has", () => {
  const kinds = ["read", "write", "net", "run", "env", "sys", "ffi", "import"];
  assertEquals(PERMISSION_KINDS, kinds);
});

Deno.test("GRANTED names what a user grants, and nothing that a process always has", () => {
  assertEquals(GRANTED, [
    ...["hosts", "mounts", "writableMounts", "listen", "issuer"],
    ...["serverProgram", "serverHost", "ownPackages"],
  ]);
});

Deno.test("docs/security.md shows the permission table", async () => {
  const url = new URL("../../docs/security.md", import.meta.url);
  assertEquals(parseTable(await Deno.readTextFile(url)), TABLE);
});

/** Reads the Markdown table; a column can stand for several kinds. */
function parseTable(
  markdown: string,
): Record<string, Record<string, string[]>> {
  const [header = [], , ...rows] = markdown.split("\n\n")
    .find((part) => part.startsWith("| process"))?.split("\n").map(toCells) ??
    [];
  return Object.fromEntries(rows.map(([name = "", ...cells]) => [
    Reflect.get(PROCESSES, name) ?? name,
    Object.fromEntries(
      cells.flatMap((cell, column) =>
        cell === "–" ? [] : toList(header[column + 1] ?? "")
          .map((kind) => [kind, toList(cell).map(toScope)])
      ),
    ),
  ]));
}

function toCells(row: string): string[] {
  return row.split("|").slice(1, -1).map((cell) => cell.trim());
}

function toList(cell: string): string[] {
  return cell.split(",").map((part) => part.trim());
}

/** Removes the mark of a footnote. */
function toScope(text: string): string {
  const name = text.replace(/ [¹²³⁴⁵⁶⁷⁸⁹]$/, "");
  return SCOPES[name] ?? `unknown: ${name}`;
}
