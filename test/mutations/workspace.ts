import type { Mutation } from "./mutation.ts";

/** Files that a run finds and leaves. */
export const WORKSPACE: readonly Mutation[] = [
  ...inFile(
    "src/engines/pyodide/worker/file_space.ts",
    "test/limits_test.ts",
    [
      {
        name: "files, folders and links are not counted",
        text: "take({ bytes: 0, nodes: 1 });",
        replacement: "",
        filter: "there are so many files, folders and links",
      },
      {
        name: "a new name may have any length",
        text: "checkName(name);\n      take(",
        replacement: "take(",
        filter: "names and links are not for storing data",
      },
      {
        name: "a file may be renamed to a name of any length",
        text: "checkName(name);\n      rename(",
        replacement: "rename(",
        filter: "names and links are not for storing data",
      },
      {
        name: "the target of a link may have any length",
        text: "if (target.length > LONGEST_LINK) fail(ENAMETOOLONG);",
        replacement: "",
        filter: "names and links are not for storing data",
      },
      {
        name: "a name that is not UTF-8 becomes another one",
        text: "if (!isTextName(name)) fail(EILSEQ);",
        replacement: "",
        tests: ["test/escape_files_test.ts"],
        filter: "what cannot come back by its name",
      },
      {
        name: "a name is measured in characters",
        text: "bytesOfName(name) > LONGEST_NAME",
        replacement: "name.length > LONGEST_NAME",
        tests: ["test/escape_files_test.ts"],
        filter: "what cannot come back by its name",
      },
      {
        name: "a file that grows by expandFileStorage() is not counted",
        text:
          "take({ bytes: bytes - sizeOf(node), nodes: 0 });\n      allocate(() => expand(",
        replacement: "allocate(() => expand(",
        filter: "Python cannot lift them by JavaScript",
      },
      {
        name: "a file that is made longer is not counted",
        text:
          "take({ bytes: bytes - sizeOf(node), nodes: 0 });\n      allocate(() => resizeFileStorage(",
        replacement: "allocate(() => resizeFileStorage(",
        filter: "files have no more room",
      },
      {
        name: "what is written is not counted",
        text: "take({ bytes: position + length - sizeOf(node), nodes: 0 });",
        replacement: "",
        filter: "files have no more room",
      },
      {
        name: "a package's file never counts",
        text: "adopt(node);\n    take(",
        replacement: "take(",
        filter: "a package's file counts once it is changed",
      },
      {
        name: "a file that was there before is made longer for nothing",
        text: "adopt(node);\n      setattr(",
        replacement: "setattr(",
        filter: "Python cannot lift them by JavaScript",
      },
      {
        name: "deleted files that are open are not counted",
        text:
          "for (let at = 0; at < streams.length; at++) add(streams[at]?.node);",
        replacement: "",
        filter: "files have no more room",
      },
      {
        name: "a file that is open counts twice",
        text: "|| seen.has(node)) return;",
        replacement: ") return;",
        filter: "all of the room can be used, and anew",
      },
      {
        name: "what was freed is not room again",
        text: "if (isTooMuch()) held = countAnew();",
        replacement: "",
        filter: "all of the room can be used, and anew",
      },
      {
        name: "what is held does not add up",
        text: "held.bytes += Math.max(bytes, 0);",
        replacement: "",
        filter: "files have no more room",
      },
      {
        name: "the functions that count can be assigned",
        text: "writable: false,",
        replacement: "writable: true,",
        filter: "Python cannot lift them by JavaScript",
      },
      {
        name: "the functions that count can be defined anew",
        text: "configurable: false,",
        replacement: "configurable: true,",
        filter: "Python cannot lift them by JavaScript",
      },
      {
        name: "the table of functions can be replaced",
        text: "lock(MEMFS, { ops_table: MEMFS.ops_table });",
        replacement: "",
        filter: "Python cannot lift them by JavaScript",
      },
      {
        name: "a second way to write can be replaced",
        text: "lock(MEMFS.stream_ops, { write: writeWithin });",
        replacement: "",
        filter: "Python cannot lift them by JavaScript",
      },
    ],
  ),
  ...inFile(
    "src/engines/pyodide/worker/folder_tables.ts",
    "test/escape_files_test.ts",
    [
      {
        name: "new folders inherit names",
        text: "withoutPrototype(createNode(parent, name, ...rest));",
        replacement: "createNode(parent, name, ...rest);",
        filter: "a name that JavaScript's objects know",
      },
      {
        name: "folders of the start inherit names",
        text: "node = node.name_next) withoutPrototype(node);",
        replacement: "node = node.name_next);",
        filter: "a name that JavaScript's objects know",
      },
    ],
  ),
  ...inFile(
    "src/engines/pyodide/worker/image_fs.ts",
    "test/escape_files_test.ts",
    [{
      name: "folders of packages inherit names",
      text: "node.contents = Object.create(null);",
      replacement: "node.contents = {};",
      filter: "in a package's folder any name",
    }],
  ),
  ...inFile(
    "src/engines/pyodide/worker/workspace.ts",
    "test/escape_files_test.ts",
    [
      {
        name: "a folder in itself is looked into again and again",
        text: "if (seen.has(next.node)) continue;",
        replacement: "",
        filter: "forged folders take no time",
      },
      {
        name: "folders of any depth are looked into",
        text: "if (depth > MOST_FOLDERS) {",
        replacement: "if (depth > 1e9) {",
        filter: "forged folders take no time",
      },
      {
        name: "a path that no message may have is sent",
        text: "if (reason === undefined) yield",
        replacement: "yield",
        filter: "a path that is too long for others",
      },
      {
        name: "what does not come back is not told",
        text: 'tell(leftOut, "Not sent back from /workspace");',
        replacement: "",
        filter: "a path that is too long for others",
      },
      {
        name: "a file that was put in and changed does not come back",
        text: "was?.node !== node || was.mtime !== mtime",
        replacement: "was?.node !== node",
        tests: ["test/files_test.ts"],
        filter: "files go in as they are",
      },
      {
        name: "half of a file that cannot be put stays",
        text: "if (!known.has(path)) maybeUnlink(place);",
        replacement: "",
        tests: ["src/engines/pyodide/worker/workspace_test.ts"],
      },
      {
        name: "a file that cannot be put is not told",
        text: 'tell(write(files), "Not put into /workspace");',
        replacement: "",
        tests: ["src/engines/pyodide/worker/workspace_test.ts"],
      },
    ],
  ),
  ...inFile("src/protocol/run_files.ts", "src/protocol/run_files_test.ts", [
    {
      name: "files beyond their bounds pass",
      text: "return this.#isInOrder && file.fits;",
      replacement: "return this.#isInOrder;",
    },
    {
      name: "pieces out of order pass",
      text: "if (!isNext) this.#isInOrder = false;",
      replacement: "",
    },
    {
      name: "a piece may be longer than what is left of its file",
      text: "length <= file.left && ",
      replacement: "",
    },
    {
      name: "a file may have any number of empty pieces",
      text: "(length > 0 || size === 0)",
      replacement: "true",
    },
    {
      name: "any number of removed files passes",
      text: " &&\n      ++this.#removals <= this.bounds.count",
      replacement: "",
    },
    {
      name: "a removed file may be anywhere",
      text: "this.#isInOrder && isWorkspacePath(path) &&",
      replacement: "this.#isInOrder &&",
    },
  ]),
  ...inFile("src/protocol/run_files.ts", "src/protocol/run_files_test.ts", [
    {
      name: "a file may be outside of the working folder",
      text: "!isWorkspacePath(path) || ",
      replacement: "",
    },
    {
      name: "a file may come twice",
      text: " || this.#paths.has(path)",
      replacement: "",
    },
    {
      name: "a file may be larger than what is left",
      text: "if (!(this.#bytes + size <= bytes)) return false;",
      replacement: "",
    },
    {
      name: "bytes of files do not add up",
      text: "this.#bytes += size;",
      replacement: "",
    },
    {
      name: "files and folders are not counted as they come",
      text: "if (had + folders.length >= count) return false;",
      replacement: "",
    },
    {
      name: "folders do not count",
      text: "const had = this.#paths.size + this.#folders.size;",
      replacement: "const had = this.#paths.size;",
    },
    {
      name: "pieces of another path go into a file",
      text: "file.path === path && ",
      replacement: "",
    },
    {
      name: "a file may change its size",
      text: "file.size === size &&",
      replacement: "",
    },
  ]),
  ...inFile(
    "src/protocol/workspace_path.ts",
    "src/protocol/workspace_path_test.ts",
    [
      {
        name: "a path may have any length",
        text: "if (text.length > LONGEST_PATH) {",
        replacement: "if (text.length > 1e9) {",
      },
      {
        name: "a path may have a NUL",
        text: 'if (text.includes("\\0")) ',
        replacement: "if (!text) ",
      },
      {
        name: "a path may be ill-formed",
        text: "if (!text.isWellFormed()) ",
        replacement: "if (!text) ",
      },
      {
        name: "a path may have what stands for bytes that are not UTF-8",
        text: "if (text.includes(REPLACEMENT)) {",
        replacement: "if (!text) {",
      },
      {
        name: "a path may lead up",
        text: 'if (names.includes("..")) {',
        replacement: "if (!text) {",
      },
      {
        name: "a path may be anywhere",
        text: 'if (text.startsWith("/") && !isBelow) {',
        replacement: "if (!text) {",
      },
      {
        name: "a file may be a folder",
        text: 'if (parts.length === 0 || last === "" || last === ".") {',
        replacement: "if (!text) {",
      },
      {
        name: "a name in a path may have any length",
        text: "if (long !== undefined) {",
        replacement: "if (!long && long) {",
      },
      {
        name: "a file may be in any number of folders",
        text: "if (folders > MOST_FOLDERS) {",
        replacement: "if (folders > 1e9) {",
      },
      {
        name: "a path may have many forms",
        text: "toWorkspacePath(text) === text && ",
        replacement: "Boolean(toWorkspacePath(text)) && ",
      },
      {
        name: "folders that are known are gone through again",
        text: " && !known.has(folder);",
        replacement: ";",
      },
    ],
  ),
  ...inFile(
    "src/server/files/file_store.ts",
    "src/server/files/file_store_test.ts",
    [
      {
        name: "addresses of files can be guessed",
        text: "crypto.randomUUID()",
        replacement: '"00000000-0000-4000-8000-000000000000"',
      },
      {
        name: "a file has many addresses",
        text: "return file?.uri === uri ? file : undefined;",
        replacement: "return file;",
      },
      {
        name: "files of runs are kept for ever",
        text: "this.#makeRoom(owner, bytes);",
        replacement: "",
      },
      {
        name: "a file larger than the store is kept",
        text: "if (bytes + size > most) return file;",
        replacement: "",
      },
      {
        name: "empty files take no room",
        text: "const OVERHEAD = 1024;",
        replacement: "const OVERHEAD = 0;",
      },
      {
        name: "what was dropped still takes room",
        text: "kept.bytes -= run?.bytes ?? 0;",
        replacement: "",
      },
      {
        name: "what is kept takes no room",
        text: "own.bytes += bytes;",
        replacement: "",
      },
      {
        name: "files are for every owner who knows their address",
        text: "this.#owners.get(owner)?.runs.get(id)?.files.get(path);",
        replacement:
          "[...this.#owners.values()].flatMap(({ runs }) => runs.get(id) ?? [])[0]?.files.get(path);",
      },
      {
        name: "an owner's files go for those of another",
        text: "wanted(one) > wanted(most) ? one : most",
        replacement: "most",
      },
      {
        name: "a run takes what others hold within their shares",
        text: "room - Math.min(bytes, share)",
        replacement: "room",
      },
    ],
  ),
  ...inFile(
    "src/protocol/run_files.ts",
    "src/protocol/run_files_test.ts",
    [
      {
        name: "files of a run may have a thousand times the bytes",
        text: "bytes: maxFilesMiB * MIB",
        replacement: "bytes: 1000 * maxFilesMiB * MIB",
      },
      {
        name: "there may be any number of files",
        text: "count: maxFiles ",
        replacement: "count: Infinity ",
      },
    ],
  ),
  ...inFile("src/server/files/connection_files.ts", "test/files_test.ts", []),
  ...inFile("src/results/result_files.ts", "src/results/result_files_test.ts", [
    {
      name: "a result lists all files",
      text: "const MOST_LISTED = 100;",
      replacement: "const MOST_LISTED = 101;",
    },
    {
      name: "names of files take no room in a result",
      text: "const NAMES_ROOM = 64 * 1024;",
      replacement: "const NAMES_ROOM = Infinity;",
    },
    {
      name: "a name that is long as JSON is not",
      text: "lengthAsJson(path) + uri.length",
      replacement: "path.length + uri.length",
    },
    {
      name: "all texts are in the result",
      text: "if (text !== undefined) room -= bytes.length;",
      replacement: "",
    },
    {
      name: "all pictures are in the result",
      text: "room -= size;",
      replacement: "",
    },
    {
      name: "a picture is what its name says",
      text: " && maybePicture(bytes) === mimeType",
      replacement: ' && mimeType.startsWith("image/")',
    },
  ]),
  ...inFile("src/protocol/fields.ts", "src/protocol/run_messages_test.ts", [
    {
      name: "a size may be 1.5",
      text: "Number.isSafeInteger(data) && data >= 0",
      replacement: "data >= 0",
    },
    {
      name: "a size may be negative",
      text: "Number.isSafeInteger(data) && data >= 0",
      replacement: "Number.isSafeInteger(data)",
    },
  ]),
  ...inFile(
    "src/protocol/run_messages.ts",
    "src/protocol/run_messages_test.ts",
    [
      {
        name: "a path from a sandbox may have any length",
        text: " && path.length <= LONGEST_PATH",
        replacement: "",
      },
      {
        name: "a piece of base64 may have any length",
        text:
          "return data.length <= LONGEST_PIECE ? maybeBase64(data) : undefined;",
        replacement: "return maybeBase64(data);",
      },
      {
        name: "a piece of bytes may have any length",
        text: " && data.length <= PIECE_BYTES",
        replacement: "",
      },
      {
        name: "a piece may be no bytes",
        text: "isBytes(data) && data.length <= PIECE_BYTES ?",
        replacement: "Object(data).length <= PIECE_BYTES ?",
      },
      {
        name: "a file may be removed by any path",
        text: "return isPath(path) ? { type, path } : undefined;",
        replacement: "return { type, path: String(path) };",
      },
    ],
  ),
  ...inFile("src/cli/mount_options.ts", "src/cli/mount_options_test.ts", [
    {
      name: "a read-only mount can be written by another one",
      text: "  refuseOpenInner(mounts, context);\n",
      replacement: "",
    },
    {
      name: "mounts are compared by the paths that are given",
      text: "context.realPath?.(path) ?? path",
      replacement: "path",
    },
    {
      name: "a mount may be in the place of another one",
      text: "if (!other) continue;",
      replacement: "if (guest || !other) continue;",
    },
    {
      name: "all of the machine may be mounted",
      text: "if (rules.parse(host).root === host) {",
      replacement: "if (!host) {",
    },
    {
      name: "a comma makes two paths of a mount",
      text: 'if (/[,:]/.test(host.replace(/^[a-z]:(?=[\\\\/])/i, ""))) {',
      replacement: "if (!host) {",
    },
    {
      name: "Python may have a mount at any path",
      text: "if (!isPlain) {",
      replacement: "if (!guest) {",
    },
    {
      name: "a mount may hide Python's own folders",
      text: 'if (guest === "/mnt" || TAKEN.includes(names[0] ?? "")) {',
      replacement: "if (!guest) {",
    },
    {
      name: "a mount is writable if nothing is said",
      text: 'mode = "ro"] =',
      replacement: 'mode = "rw"] =',
    },
  ]),
];

/** Mutations of one file, for the same tests where no others are named. */
function inFile(
  file: string,
  test: string,
  mutations: (Omit<Mutation, "file" | "tests"> & { tests?: string[] })[],
): Mutation[] {
  return mutations.map((mutation) => ({ tests: [test], ...mutation, file }));
}
