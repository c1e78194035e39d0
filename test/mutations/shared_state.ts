import type { Mutation } from "./mutation.ts";

const SHARED = ["test/escape_shared_test.ts"];
const FREEZE = ["src/engines/pyodide/worker/freeze_test.ts"];

/** What runs share. */
export const SHARED_STATE: readonly Mutation[] = [
  {
    name: "a written file of the image stays in the shared memory",
    file: "src/engines/pyodide/worker/image_fs.ts",
    text: "contents.slice(offset, offset + length)",
    replacement: "contents.subarray(offset, offset + length)",
    tests: SHARED,
    filter: "written in place",
  },
  {
    name: "a file beside site-packages is the shared memory",
    file: "src/engines/pyodide/worker/packages.ts",
    text: "contents.slice(offset, offset + length)",
    replacement: "contents.subarray(offset, offset + length)",
    tests: SHARED,
    filter: "written in place",
  },
  {
    name: "a buffer's own method fills it from the image",
    file: "src/engines/pyodide/worker/image_fs.ts",
    text:
      "fill.call(buffer, contents.subarray(first + start, first + end), offset)",
    replacement:
      "buffer.set(contents.subarray(first + start, first + end), offset)",
    tests: ["test/escape_javascript_test.ts"],
    filter: "no buffer of Python's is handed",
  },
  {
    name: "Pyodide keeps a part of the shared snapshot",
    file: "src/engines/pyodide/worker/snapshot.ts",
    text: "  return target;",
    replacement:
      "  return bytes instanceof Uint8Array ? bytes.subarray(0, head) : target;",
    tests: SHARED,
    filter: "a worker starts one interpreter",
  },
  {
    name: "a second interpreter starts in a worker",
    file: "src/engines/pyodide/worker/boot.ts",
    text: "if (isUsed) throw",
    replacement: "if (false) throw",
    tests: SHARED,
    filter: "a worker starts one interpreter",
  },
  {
    name: "an interpreter writes the standard library that all share",
    file: "src/engines/pyodide/worker/packages.ts",
    text: "  FS.mount(imageFileSystem(FS, image, stdlib), {}, STDLIB);\n",
    replacement:
      "  FS.writeFile(`${STDLIB}/${name}`, stdlib, { canOwn: true });\n",
    tests: ["test/escape_test.ts"],
    filter: "standard library for the next",
  },
  {
    name: "Python's code runs before the language is frozen",
    file: "src/engines/pyodide/worker/boot.ts",
    text: "      freezeLanguage();\n",
    replacement: "",
    tests: SHARED,
    filter: "catches shared memory",
  },
  {
    name: "the language is frozen after packages have run",
    file: "src/engines/pyodide/worker/boot.ts",
    text: "      freezeLanguage();\n",
    replacement: "      setTimeout(freezeLanguage);\n",
    tests: ["test/escape_javascript_test.ts"],
    filter: "before the language is frozen",
  },
  {
    name: "functions in classes are not frozen",
    file: "src/engines/pyodide/worker/freeze.ts",
    text: `      add(found, value);
      add(found, get);
      add(found, set);
`,
    replacement: "      if (typeof value === 'object') add(found, value);\n",
    tests: SHARED,
    filter: "catches shared memory",
  },
  {
    name: "getters of classes are not frozen",
    file: "src/engines/pyodide/worker/freeze.ts",
    text: "      add(found, get);\n",
    replacement: "",
    tests: FREEZE,
  },
  {
    name: "iterators and generators are not frozen",
    file: "src/engines/pyodide/worker/freeze.ts",
    text: "new Set<object>(nameless())",
    replacement: "new Set<object>()",
    tests: FREEZE,
  },
  {
    name: "asynchronous generators are not frozen",
    file: "src/engines/pyodide/worker/freeze.ts",
    text: ", async function* () {}],",
    replacement: "],",
    tests: FREEZE,
  },
  {
    name: "iterators of maps are not frozen",
    file: "src/engines/pyodide/worker/freeze.ts",
    text: "new Map().values(), ",
    replacement: "",
    tests: FREEZE,
  },
  {
    name: "helpers of iterators are not frozen",
    file: "src/engines/pyodide/worker/freeze.ts",
    text: ", [].values().map(Number)],",
    replacement: "],",
    tests: FREEZE,
  },
  {
    name: "classes that prototypes lead to are not frozen",
    file: "src/engines/pyodide/worker/freeze.ts",
    text: "    add(found, Object.getPrototypeOf(it));\n",
    replacement: "",
    tests: FREEZE,
  },
  {
    name: "segments are made by a class that is not frozen",
    file: "src/engines/pyodide/worker/freeze.ts",
    text: 'Reflect.deleteProperty(Intl, "Segmenter");',
    replacement: "",
    tests: FREEZE,
  },
  {
    name: "all of Object.prototype and of errors can be replaced",
    file: "src/engines/pyodide/worker/freeze.ts",
    text: "if (isShadowed(it)) freezeAround(it, SHADOWED);",
    replacement: "if (isShadowed(it)) Object.preventExtensions(it);",
    tests: FREEZE,
  },
  {
    name: "errors take new properties",
    file: "src/engines/pyodide/worker/freeze.ts",
    text: "  Object.preventExtensions(it);\n",
    replacement: "",
    tests: FREEZE,
  },
  {
    name: "Pyodide keeps what it has for Node",
    file: "src/engines/pyodide/worker/close_node.ts",
    text: "export function closeNode(python: object): void {\n",
    replacement:
      "export function closeNode(python: object): void {\n  if (python) return;\n",
    tests: SHARED,
    filter: "what Pyodide has for Node",
  },
  {
    name: "a busy worker is said to be gone",
    file: "src/engines/pyodide/watch.ts",
    text:
      "withResolvers<false>();\n      const timer = setTimeout(() => late.resolve(false)",
    replacement:
      "withResolvers<boolean>();\n      const timer = setTimeout(() => late.resolve(true)",
    tests: SHARED,
    filter: "is not said to be gone",
  },
  {
    name: "a process whose interpreter is not gone has the next run",
    file: "src/sandbox/main.ts",
    text: '    if (!isGone) return "an interpreter did not end";\n',
    replacement: "",
    tests: SHARED,
    filter: "a process in which something",
  },
  {
    name: "what was drawn for the snapshot is the same in each run",
    file: "src/engines/pyodide/runner/runner.py",
    text: "    reseed()\n",
    replacement: "",
    tests: SHARED,
    filter: "cannot foresee",
  },
  {
    name: "Python's own generator repeats itself",
    file: "src/engines/pyodide/runner/reseed.py",
    text: "    random.seed()\n",
    replacement: "",
    tests: SHARED,
    filter: "cannot foresee",
  },
  {
    name: "generators that modules made repeat themselves",
    file: "src/engines/pyodide/runner/reseed.py",
    text: "        generator.seed()\n",
    replacement: "        pass\n",
    tests: SHARED,
    filter: "drawn anew",
  },
  {
    name: "generators that modules made are not noted",
    file: "src/engines/pyodide/runner/reseed.py",
    text: "            _unseeded.append(self)\n",
    replacement: "            pass\n",
    tests: SHARED,
    filter: "drawn anew",
  },
  {
    name: "names of temporary files repeat themselves",
    file: "src/engines/pyodide/runner/reseed.py",
    text: "    module._name_sequence = None\n",
    replacement: "    pass\n",
    tests: SHARED,
    filter: "drawn anew",
  },
  {
    name: "UUIDs repeat what a snapshot has of them",
    file: "src/engines/pyodide/runner/reseed.py",
    text: "    module._node = None\n",
    replacement: "",
    tests: SHARED,
    filter: "drawn anew",
  },
];
