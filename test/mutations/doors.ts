import type { Mutation } from "./mutation.ts";

const NAMES = {
  file: "src/engines/pyodide/worker/doors.ts",
  tests: ["src/engines/pyodide/worker/doors_test.ts"],
};
const TIMERS = {
  file: "src/engines/pyodide/worker/timers.ts",
  tests: ["src/engines/pyodide/worker/timers_test.ts"],
};
const JS = {
  file: "src/engines/pyodide/worker/js_namespace.ts",
  tests: ["src/engines/pyodide/worker/js_namespace_test.ts"],
};
const NODE = {
  file: "src/engines/pyodide/worker/close_node.ts",
  tests: ["src/engines/pyodide/worker/close_node_test.ts"],
};
const MEMORY = {
  file: "src/engines/pyodide/worker/memory.ts",
  tests: ["src/engines/pyodide/worker/memory_test.ts"],
};
const IMAGE = {
  file: "src/engines/pyodide/worker/image_fs.ts",
  tests: ["src/engines/pyodide/worker/image_fs_test.ts"],
};
const RUNS = {
  file: "src/sandbox/runs.ts",
  tests: ["src/sandbox/runs_test.ts"],
};
const POOL = {
  file: "src/server/pool/sandbox.ts",
  tests: [
    "src/server/pool/sandbox_test.ts",
    "src/server/pool/local_pool_test.ts",
  ],
};
const PARSE = {
  file: "src/protocol/run_messages.ts",
  tests: ["src/protocol/run_messages_test.ts"],
};
const SANDBOX_MESSAGES = {
  file: "src/protocol/sandbox_messages.ts",
  tests: ["src/protocol/sandbox_messages_test.ts"],
};
const WORKER_MESSAGES = {
  file: "src/engines/pyodide/worker_messages.ts",
  tests: ["src/engines/pyodide/worker_messages_test.ts"],
};
const DISPLAYS = {
  file: "src/protocol/displays.ts",
  tests: ["src/protocol/displays_test.ts"],
};
const FIELDS = {
  file: "src/protocol/fields.ts",
  tests: ["src/protocol/fields_test.ts"],
};
const FRAMES = {
  file: "src/protocol/frames.ts",
  tests: ["src/protocol/frames_test.ts"],
};
const CUT = { file: "src/results/cut.ts", tests: ["src/results/cut_test.ts"] };
const CUT_VALUE = {
  file: "src/results/cut_value.ts",
  tests: ["src/results/cut_value_test.ts"],
};
const FIT = {
  file: "src/results/fit_result.ts",
  tests: ["src/results/fit_result_test.ts"],
};
const OUTPUT = {
  file: "src/results/output.ts",
  tests: ["src/results/output_test.ts"],
};
const RENDER = {
  file: "src/results/render.ts",
  tests: [
    "src/results/render_test.ts",
    "src/results/result_images_test.ts",
    "src/results/result_files_test.ts",
  ],
};
const FILES = {
  file: "src/results/result_files.ts",
  tests: ["src/results/result_files_test.ts"],
};
const IMAGES = {
  file: "src/results/result_images.ts",
  tests: ["src/results/result_images_test.ts"],
};
const RESULT = {
  file: "src/results/to_result.ts",
  tests: ["src/results/to_result_test.ts"],
};

/** What Python finds of JavaScript, and messages that it may send. */
export const DOORS: readonly Mutation[] = [
  {
    name: "the worker keeps fetch",
    ...NAMES,
    text: "crypto performance",
    replacement: "fetch crypto performance",
  },
  {
    name: "prototypes behind the global scope keep their names",
    ...NAMES,
    text: "scope !== null && scope !== EventTarget.prototype;",
    replacement: "scope === globalThis;",
    survives: "Deno 2.9.6 has no name there; another one may",
  },
  {
    name: "process can be put into the global scope",
    ...NAMES,
    text: '"Deno", "process", "Buffer"',
    replacement: '"Deno", "Buffer"',
  },
  {
    name: "what is shut can be opened again",
    ...NAMES,
    text: "door ?? { value: undefined }",
    replacement: "door ?? { value: undefined, configurable: true }",
  },
  {
    name: "prototypes behind the global scope take new names",
    ...NAMES,
    text: ") Object.preventExtensions(scope);",
    replacement: ") Object.isExtensible(scope);",
  },
  {
    name: "timers are Deno's own",
    ...NAMES,
    text: "export const timers = closeTimers();",
    replacement: "export const timers = { pending: () => 0 };",
  },
  {
    name: "a stack names files",
    ...NAMES,
    text: "get: () => 0,",
    replacement: "get: () => 10,",
  },
  {
    name: "how much of a stack is kept can be changed",
    ...NAMES,
    text: "  configurable: false,\n",
    replacement: "",
  },
  {
    name: "last words have no end",
    ...NAMES,
    text: ".slice(0, 2000)",
    replacement: "",
  },
  {
    name: "a timer's callback gets Deno's timer",
    ...TIMERS,
    text: "timers.set(id, set(ring, toDelay(delay)));",
    replacement:
      "timers.set(id, set(function () { ring; Reflect.apply(callback, this, args); }, toDelay(delay)));",
  },
  {
    name: "a timer's id is Deno's timer",
    ...TIMERS,
    text: "    return id;",
    replacement: "    return Reflect.get({ it: timers.get(id) }, 'it');",
  },
  {
    name: "timers convert what is no number",
    ...TIMERS,
    text: 'typeof delay === "number" ? delay : 0',
    replacement: "Number(delay)",
  },
  {
    name: "timers take delays that Deno warns of",
    ...TIMERS,
    text: "Math.min(ms, LONGEST_MS)",
    replacement: "ms",
  },
  {
    name: "timers of Deno's can be cleared",
    ...TIMERS,
    text: "if (timer === undefined) return;",
    replacement:
      "if (timer === undefined) return clearTimeout(Reflect.get({ id }, 'id'));",
  },
  {
    name: "import js shows Function",
    ...JS,
    text: "Object Array Number",
    replacement: "Object Function Array Number",
  },
  {
    name: "import js shows eval",
    ...JS,
    text: 'const CLOSED = { eval: "", ',
    replacement: 'LANGUAGE.push("eval"); const CLOSED = { ',
  },
  {
    name: "closed names of import js do nothing",
    ...JS,
    text: 'throw Object.assign(new Error(reason), { stack: "" });',
    replacement: "return undefined;",
  },
  {
    name: "import js shows fetch",
    ...JS,
    text: 'const CLOSED = { eval: "", fetch: HTTP, ',
    replacement: 'LANGUAGE.push("fetch"); const CLOSED = { eval: "", ',
  },
  {
    name: "import js has a prototype",
    ...JS,
    text: "Object.create(null)",
    replacement: "{}",
  },
  {
    name: "Node's sockets stay",
    ...NODE,
    text: '  Reflect.deleteProperty(api, "initializeNodeSockFS");\n',
    replacement: "",
  },
  {
    name: "mountNodeFS stays",
    ...NODE,
    text: '["useNodeSockFS", "mountNodeFS"]',
    replacement: '["useNodeSockFS"]',
  },
  {
    name: "whether this is Node can be changed",
    ...NODE,
    text: "Object.freeze(api.runtimeEnv)",
    replacement: "Object.isFrozen(api.runtimeEnv)",
  },
  {
    name: "memory grows without a cap",
    ...MEMORY,
    text: "> maxBytes)",
    replacement: "> maxBytes && maxBytes < 0)",
  },
  {
    name: "memory grows by what is read again",
    ...MEMORY,
    text: "grow.call(this, more)",
    replacement: "grow.call(this, pages)",
  },
  {
    name: "memory's size is what code says",
    ...MEMORY,
    text: 'Reflect.get(prototype, "buffer", memory)',
    replacement: 'Reflect.get(memory, "buffer")',
  },
  {
    name: "Python's stack is as large as V8 lets it be",
    file: "src/engines/pyodide/worker/stack.ts",
    text: "const STACK_BYTES = 64 * 1024;",
    replacement: "const STACK_BYTES = 1024 * 1024;",
    tests: ["src/engines/pyodide/worker/stack_test.ts"],
  },
  {
    name: "packaged files are read before their start",
    ...IMAGE,
    text: "within(position, 0, extent.length)",
    replacement: "Math.min(position, extent.length)",
  },
  {
    name: "packaged files are read beyond their end",
    ...IMAGE,
    text: "within(start + length, start, extent.length)",
    replacement: "start + length",
  },
  {
    name: "packaged files are read up to a negative end",
    ...IMAGE,
    text: "within(start + length, start, extent.length)",
    replacement: "Math.min(start + Number(length), extent.length)",
  },
  {
    name: "a position in a packaged file is read twice",
    ...IMAGE,
    text: "Math.min(Math.max(Number(wanted) || least, least), most)",
    replacement: "wanted > least ? Math.min(wanted, most) : least",
  },
  {
    name: "packaged files can be sought before their start",
    ...IMAGE,
    text: "if (!(from + offset >= 0))",
    replacement: "if (from + offset < -1e6)",
  },
  {
    name: "values have any length in the sandbox process",
    ...RUNS,
    text: "value.length > longestValue(maxOutput)",
    replacement: "value.length > Infinity",
  },
  {
    name: "tables have any length in the sandbox process",
    ...RUNS,
    text: "cutText(shown, maxOutput ?? MOST_OUTPUT)",
    replacement: "cutText(shown, Infinity)",
  },
  {
    name: "errors have any length in the sandbox process",
    ...RUNS,
    text: "cutText(ending.error, maxOutput ?? LONGEST_ERROR)",
    replacement: "cutText(ending.error, Infinity)",
  },
  {
    name: "errors have any length where all of them is wanted",
    ...RUNS,
    text: "maxOutput ?? LONGEST_ERROR",
    replacement: "maxOutput ?? Infinity",
  },
  {
    name: "output has any length in the sandbox process",
    text: "new OutputLimiter(allowance.maxOutput ?? Infinity)",
    replacement: "new OutputLimiter(Infinity)",
    file: "src/sandbox/run_gate.ts",
    tests: ["src/sandbox/run_gate_test.ts"],
  },
  {
    name: "pictures are not counted",
    text: 'return this.#displays.take(message) ? undefined : "pictures";',
    replacement: "return undefined;",
    file: "src/protocol/run_bounds.ts",
    tests: ["src/sandbox/runs_test.ts", "src/server/pool/sandbox_test.ts"],
  },
  {
    name: "output after done is taken",
    ...POOL,
    text:
      'if (this.#turn !== "running" || !this.#run) {\n          return this.#refuse(message);\n        }\n        const error = this.#run.run.take',
    replacement:
      "if (!this.#run) {\n          return this.#refuse(message);\n        }\n        const error = this.#run.run.take",
    filter: "a sandbox takes nothing more",
    survives:
      "The run is over before the next message is taken, and without a run it is refused, too",
  },
  {
    name: "a sandbox that says more after done goes on",
    ...POOL,
    text:
      'if (this.#turn !== "running" || !this.#run) {\n          return this.#refuse(message);\n        }\n        const error = this.#run.run.take',
    replacement:
      "if (!this.#run) return; if (false) {\n          return this.#refuse(message);\n        }\n        const error = this.#run.run.take",
    filter: "a sandbox takes nothing more",
  },
  {
    name: "a second done is taken",
    ...POOL,
    text:
      'case "done":\n        if (this.#turn !== "running" || message.run !== this.#run?.id) {',
    replacement: 'case "done":\n        if (message.run !== this.#run?.id) {',
    filter: "LocalPool keeps an answer",
    survives:
      "The run is over before the next message is taken, and without a run it is refused, too",
  },
  {
    name: "another run's done is taken",
    ...POOL,
    text:
      'case "done":\n        if (this.#turn !== "running" || message.run !== this.#run?.id) {',
    replacement:
      'case "done":\n        if (this.#turn !== "running" || !this.#run) {',
    filter: "LocalPool takes no run's answer",
  },
  {
    name: "ready is taken out of turn",
    ...POOL,
    text: 'if (this.#turn !== "preparing") return this.#refuse(message);',
    replacement: "",
    filter: "a sandbox takes nothing more",
  },
  {
    name: "output has any length in the server",
    text: 'return isMore ? "output" : undefined;',
    replacement: "return undefined;",
    filter: "says more than its limit",
    file: "src/protocol/run_bounds.ts",
    tests: ["src/server/pool/sandbox_test.ts"],
  },
  {
    name: "files that nobody wants are taken",
    text: "run.files ? setup : { ...setup, files: NO_FILES }",
    replacement: "setup",
    filter: "files that are not wanted",
    file: "src/server/pool/sandbox_run.ts",
    tests: ["src/server/pool/sandbox_test.ts"],
  },
  {
    name: "the server believes its sandbox process",
    file: "src/server/pool/sandbox_run.ts",
    text: "if (excess) return `The sandbox",
    replacement: "if (!message) return `The sandbox",
    tests: ["src/server/pool/sandbox_test.ts"],
  },
  {
    name: "a value need not be text",
    ...PARSE,
    text: 'if (typeof value !== "string") return undefined;',
    replacement: "if (value === 0) return undefined;",
  },
  {
    name: "a table's text need not be text",
    ...PARSE,
    text: 'typeof shown === "string"',
    replacement: "shown !== undefined",
  },
  {
    name: "a run-error's error need not be text",
    ...PARSE,
    text: 'return typeof error === "string" && typeof exitCode',
    replacement: "return typeof exitCode",
  },
  {
    name: "a run-error's exit code need not be a number",
    ...PARSE,
    text: '&& typeof exitCode === "number"',
    replacement: "",
  },
  {
    name: "an exit code is no process's",
    ...PARSE,
    text: "exitCode: exitCode & 0xff",
    replacement: "exitCode",
  },
  {
    name: "an ending's error need not be text",
    ...PARSE,
    text: 'return typeof error === "string" ? { status, error } : undefined;',
    replacement: "return { status, error };",
  },
  {
    name: "why a run was cancelled need not be text",
    ...SANDBOX_MESSAGES,
    text: 'return status === "cancelled" && typeof error === "string"',
    replacement: 'return status === "cancelled"',
  },
  {
    name: "a run's number need not be one",
    ...SANDBOX_MESSAGES,
    text: 'typeof run !== "number" || typeof printed',
    replacement: "typeof printed",
  },
  {
    name: "what was printed need not be a number",
    ...SANDBOX_MESSAGES,
    text: '|| typeof printed !== "number" ||',
    replacement: "||",
  },
  {
    name: "an error's length need not be a number",
    ...SANDBOX_MESSAGES,
    text: '(typeof errorLength === "number" ?',
    replacement: "(errorLength ?",
  },
  {
    name: "an interpreter is kept for any word",
    ...SANDBOX_MESSAGES,
    text: "(isKept === true ? { isKept } : {})",
    replacement: "(isKept ? { isKept: true } : {})",
  },
  {
    name: "why a start failed need not be text",
    ...SANDBOX_MESSAGES,
    text:
      'case "failed":\n      return typeof reason === "string" ? { type, reason } : undefined;',
    replacement: 'case "failed":\n      return { type, reason };',
  },
  {
    name: "why an interpreter broke need not be text",
    ...WORKER_MESSAGES,
    text:
      'case "broken":\n      return typeof reason === "string" ? { type, reason } : undefined;',
    replacement: 'case "broken":\n      return { type, reason };',
  },
  {
    name: "output need not be text",
    ...PARSE,
    text: 'return typeof text === "string" &&\n          (stream',
    replacement: "return (stream",
  },
  {
    name: "output is of any stream",
    ...PARSE,
    text: '(stream === "stdout" || stream === "stderr")',
    replacement: 'typeof stream === "string"',
  },
  {
    name: "a call's name need not be text",
    ...PARSE,
    text: 'if (typeof name !== "string" || typeof given',
    replacement: "if (typeof given",
  },
  {
    name: "a call's arguments need not be text",
    ...PARSE,
    text: '|| typeof given !== "string") return',
    replacement: "|| given === undefined) return",
  },
  {
    name: "a call's number may be none",
    ...PARSE,
    text: "return isCount(id) ?",
    replacement: 'return typeof id === "number" ?',
  },
  {
    name: "a worker says that its run was cancelled",
    ...WORKER_MESSAGES,
    text: "const parsed = parseEnding(ending);",
    replacement:
      "const parsed = parseEnding(ending) ?? (Object(ending).status ? ending : undefined);",
  },
  {
    name: "a worker ends a run without a number",
    ...WORKER_MESSAGES,
    text: 'return parsed && typeof id === "number"',
    replacement: "return parsed",
  },
  {
    name: "a message's fields are those of its prototype",
    ...FIELDS,
    text: "{ ...data }",
    replacement: "data",
  },
  {
    name: "lists are copied for their fields",
    ...FIELDS,
    text: "isObject && !Array.isArray(data)",
    replacement: "isObject",
  },
  {
    name: "a picture has any length",
    ...DISPLAYS,
    text: 'typeof data !== "string" || data.length > LONGEST',
    replacement: 'typeof data !== "string"',
  },
  {
    name: "a picture need not be text",
    ...DISPLAYS,
    text: 'typeof data !== "string" || data.length > LONGEST',
    replacement: "Object(data).length > LONGEST",
  },
  {
    name: "an SVG need not be well-formed",
    ...DISPLAYS,
    text: "if (data.isWellFormed()) return",
    replacement: "return",
  },
  {
    name: "a picture is of any type",
    ...DISPLAYS,
    text: "if (type !== mimeType) continue;",
    replacement: "",
  },
  {
    name: "a picture need not begin as one",
    ...DISPLAYS,
    text: "start.every((byte, at) => bytes?.[at] === byte)",
    replacement: "bytes",
  },
  {
    name: "base64 may lack its end",
    ...DISPLAYS,
    file: "src/protocol/fields.ts",
    text: ', { lastChunkHandling: "strict" }',
    replacement: "",
  },
  {
    name: "base64 may have spaces in it",
    ...DISPLAYS,
    text: "data.length === 4 * Math.ceil((bytes?.length ?? 0) / 3) &&",
    replacement: "",
  },
  {
    name: "an SVG counts as many bytes as it has characters",
    ...DISPLAYS,
    text: "return encoder.encode(JSON.stringify(data)).length;",
    replacement: "return data.length;",
  },
  {
    name: "a run shows any number of pictures",
    ...DISPLAYS,
    text: "this.#count >= count || bytes > size",
    replacement: "bytes > size",
  },
  {
    name: "a picture has any size",
    ...DISPLAYS,
    text: "this.#count >= count || bytes > size",
    replacement: "this.#count >= count",
  },
  {
    name: "pictures have any size in all",
    ...DISPLAYS,
    text: "if (this.#bytes + bytes > total) return false;",
    replacement: "",
  },
  {
    name: "a frame is of any kind",
    ...FRAMES,
    text: "const kind = FRAME_KINDS.find((kind) => kind === word);",
    replacement: "const kind = word;",
  },
  {
    name: "a frame's number is any that JavaScript reads",
    ...FRAMES,
    text: "!/^\\d{1,9}$/.test(digits)",
    replacement: "Number.isNaN(Number(digits))",
  },
  {
    name: "a frame's number has any length",
    ...FRAMES,
    text: "/^\\d{1,9}$/",
    replacement: "/^\\d+$/",
  },
  {
    name: "a frame's header has any length",
    ...FRAMES,
    text: "line.subarray(1, LONGEST_HEADER)",
    replacement: "line.subarray(1)",
  },
  {
    name: "a frame's payload is read as any bytes",
    ...FRAMES,
    text: 'new TextDecoder("utf-8", { fatal: true })',
    replacement: 'new TextDecoder("utf-8")',
  },
  {
    name: "MCP may be a frame",
    ...FRAMES,
    text: "return line[0] === MARK;",
    replacement: "return line[0] !== undefined;",
  },
  {
    name: "a cut leaves half a character at the end",
    ...CUT,
    text: "splitsPair(text, length) ? length - 1 : length",
    replacement: "length",
  },
  {
    name: "a cut leaves half a character at the start",
    ...CUT,
    text: "splitsPair(text, start) ? start + 1 : start",
    replacement: "start",
  },
  {
    name: "a text's tail is as long as its head and more",
    ...CUT,
    text: "limit - start.length)",
    replacement: "limit)",
  },
  {
    name: "all of the output passes at once",
    ...OUTPUT,
    text: "Math.ceil(this.limit / 2) - this.#passed",
    replacement: "this.limit - this.#passed",
  },
  {
    name: "what is left out of the output is not bounded",
    ...OUTPUT,
    text:
      "if (this.#tail.length > 2 * keep) this.#tail = tail(this.#tail, keep);",
    replacement: "",
  },
  {
    name: "a large piece of output is kept whole",
    ...OUTPUT,
    text: "this.#tail = copy(tail(text, keep));",
    replacement: "this.#tail = text;",
  },
  {
    name: "tags of sections can be forged",
    ...RENDER,
    text: "return `<${tag}>\\n${escapeTags(text)}\\n</${tag}>`;",
    replacement: "return `<${tag}>\\n${text}\\n</${tag}>`;",
  },
  {
    name: "tags can be forged in capitals",
    ...RENDER,
    text: "truncated|session)\\b)/giu",
    replacement: "truncated|session)\\b)/gu",
  },
  {
    name: "tags can be forged with invisible characters",
    ...RENDER,
    text: "<(?=[\\s\\p{C}/]*(?:",
    replacement: "<(?=[\\s/]*(?:",
  },
  {
    name: "tags can be forged with spaces",
    ...RENDER,
    text: "<(?=[\\s\\p{C}/]*(?:",
    replacement: "<(?=[\\p{C}/]*(?:",
  },
  {
    name: "an error's tag can be forged",
    ...RENDER,
    text: "return_value|error|images",
    replacement: "return_value|images",
  },
  {
    name: "the images' tag can be forged",
    ...RENDER,
    text: "|error|images|files?",
    replacement: "|error|files?",
  },
  {
    name: "a file's tag can be forged",
    ...RENDER,
    text: "|error|images|files?|truncated",
    replacement: "|error|images|truncated",
  },
  {
    name: "a note's tag can be forged",
    ...RENDER,
    text: "|files?|truncated",
    replacement: "|files?",
  },
  {
    name: "a file's name can forge attributes",
    ...RENDER,
    text: '/[&<>"\\p{C}]/gu',
    replacement: "/[&<>]/gu",
  },
  {
    name: "a value is parsed however long",
    ...RESULT,
    text: "length <= most ? maybeParse",
    replacement: "length >= 0 ? maybeParse",
  },
  {
    name: "a value is as deep as it likes",
    ...RESULT,
    text: "isDeeper(value, MAX_DEPTH) ?",
    replacement: "isDeeper(value, Infinity) ?",
  },
  {
    name: "a model reads values of any length",
    ...FIT,
    text: "cutValue(cut.returnValue, most)",
    replacement: "cutValue(cut.returnValue, Infinity)",
  },
  {
    name: "a model reads output of any length",
    ...FIT,
    text: "cutText(output, rest, truncated.output).text",
    replacement: "cutText(output, Infinity, truncated.output).text",
  },
  {
    name: "a model reads errors of any length",
    ...FIT,
    text: "cutText(cut.error, most, truncated.error).text",
    replacement: "cut.error",
  },
  {
    name: "items are kept beyond the room of a value",
    ...CUT_VALUE,
    text: "head + tail + cost <= room;",
    replacement: "head + tail <= room + cost;",
  },
  {
    name: "texts within a value are cut as if no character were longer as JSON",
    ...CUT_VALUE,
    text: "(room - NOTE) * value.length / lengthOf(value)",
    replacement: "room - NOTE",
  },
  {
    name: "each level of a value is read again",
    ...CUT_VALUE,
    text: "known.set(value, length);",
    replacement: "known.delete(value);",
  },
  {
    name: "whole results are kept without an end",
    file: "src/server/files/connection_files.ts",
    tests: ["src/server/files/connection_files_test.ts"],
    text: "new FileStore(KEPT_RESULTS)",
    replacement: "new FileStore(Infinity)",
  },
  {
    name: "the server cuts no error, and no table",
    ...RESULT,
    text: "text.length <= limit + NOTE_CHARS ?",
    replacement: "text.length >= 0 ?",
  },
  {
    name: "SVG is shown as an image",
    ...IMAGES,
    text: 'return mimeType === "image/svg+xml"\n',
    replacement: 'return mimeType === "image/bmp"\n',
  },
  {
    name: "texts within a result have no end",
    ...FILES,
    text: "bytes.length <= room ? maybeText(bytes) : undefined",
    replacement: "maybeText(bytes)",
  },
  {
    name: "pictures within a result have no end",
    ...FILES,
    text: "bytes && size <= room &&",
    replacement: "bytes &&",
  },
  {
    name: "a file is a picture by its name",
    ...FILES,
    text: "maybePicture(bytes) === mimeType",
    replacement: "mimeType.startsWith('image/')",
  },
  {
    name: "Node's ways stay open in a run's worker",
    file: "src/engines/pyodide/worker/close_node.ts",
    text: "export function closeNode(python: object): void {\n",
    replacement:
      "export function closeNode(python: object): void {\n  if (python) return;\n",
    tests: ["test/escape_javascript_test.ts"],
    filter: "escape: Node's modules cannot be imported through Pyodide",
  },
  {
    name: "a run's stack has no guard",
    file: "src/engines/pyodide/worker/worker.ts",
    text: "const guardStack = stackGuard(python);",
    replacement: "const guardStack = () => {};",
    tests: ["test/run_python_code_test.ts"],
    filter: "recursion through C",
  },
  {
    name: "a run's memory has no cap",
    file: "src/engines/pyodide/worker/boot.ts",
    text: "  capMemory(memoryBytes);\n",
    replacement: "",
    tests: ["test/limits_test.ts"],
    filter: "Python's memory has an end",
  },
];
