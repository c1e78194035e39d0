import type { Mutation } from "./mutation.ts";

const STUBS = ["src/catalog/describe_tool_test.ts"];
const TEXT = {
  file: "src/catalog/python_text.ts",
  tests: [...STUBS, "src/catalog/python_text_test.ts"],
};
const SCHEMA = {
  file: "src/catalog/bound_schema.ts",
  tests: ["src/catalog/bound_schema_test.ts"],
};
const LISTS = ["src/server/host_calls/list_tools_test.ts"];
const DOCS = ["src/server/host_calls/tool_docs_test.ts"];
const SEARCH = ["src/server/host_calls/search_tools_test.ts"];

/** Tools of downstream servers: their texts in Python, and the runs that see them. */
export const CODE_MODE_CATALOG: readonly Mutation[] = [
  {
    name: "a server's text may end a docstring",
    ...TEXT,
    text: `.replace(/""+|"$/g, (quotes) => quotes.replaceAll('"', '\\\\"'))`,
    replacement: "",
  },
  {
    name: "a server's text may have escapes of Python in a docstring",
    ...TEXT,
    text: 'text.replaceAll("\\\\", "\\\\\\\\")',
    replacement: "text",
  },
  {
    name: "a server's text may end a literal",
    ...TEXT,
    text: "JSON.stringify(text).replace(UNSEEN",
    replacement: '`"${text}"`.replace(UNSEEN',
  },
  {
    name: "a server's text may end the line of a comment",
    ...TEXT,
    text: '.replace(/\\s+/g, " ")',
    replacement: "",
  },
  {
    name: "a server's text may have characters that are not seen",
    ...TEXT,
    text: '.replace(UNSEEN, "")',
    replacement: "",
  },
  {
    name: "a key may be a field of a class whatever it holds",
    file: "src/catalog/typed_dict.ts",
    text: 'isIdentifier(key) && !key.startsWith("__")',
    replacement: '!key.startsWith("__")',
    tests: STUBS,
  },
  {
    name: "a key may be a parameter whatever it holds",
    file: "src/catalog/identifiers.ts",
    text: "/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && ",
    replacement: "",
    tests: STUBS,
  },
  {
    name: "a schema may be nested as deep as it likes",
    ...SCHEMA,
    text: "depth === DEEPEST",
    replacement: "depth === Infinity",
  },
  {
    name: "a schema may have any number of members",
    ...SCHEMA,
    text: `      if (left < 0) {
        leaveOut(null);
        break;
      }
`,
    replacement: "",
  },
  {
    name: "a list of a schema may have any number of items",
    ...SCHEMA,
    text: "if (left < 0) return leaveOut(items);",
    replacement: "",
  },
  {
    name: "a text of a schema may be as long as it likes",
    ...SCHEMA,
    text: 'return left < 0 ? leaveOut("") : value;',
    replacement: "return value;",
  },
  {
    name: "parts of a schema may multiply",
    file: "src/catalog/resolve_schema.ts",
    text: "above.size > DEEPEST || budget.left <= 0",
    replacement: "above.size > DEEPEST",
    tests: ["src/catalog/resolve_schema_test.ts"],
  },
  {
    name: "a stub may have any number of classes",
    file: "src/catalog/typed_dicts.ts",
    text: "if (this.#left <= 0) return undefined;",
    replacement: "",
    tests: STUBS,
  },
  {
    name: "a run lists the tools of a server that it has not loaded",
    file: "src/server/host_calls/list_tools.ts",
    text: "if (!codeMode.servers.includes(name)) {",
    replacement: "if (name === undefined) {",
    tests: LISTS,
  },
  {
    name: "documents start a server that a run has not loaded",
    file: "src/server/host_calls/tool_docs.ts",
    text: "if (codeMode.servers.includes(name)) {",
    replacement: "if (name !== undefined) {",
    tests: DOCS,
  },
  {
    name: "a search starts servers that a run has not loaded",
    file: "src/server/host_calls/search_tools.ts",
    text: "await askLoaded(hub, codeMode, signal);",
    replacement: `await askLoaded(hub, {
        ...codeMode,
        servers: all.map(({ server }) => server.name),
      }, signal);`,
    tests: SEARCH,
  },
  {
    name: "lists and documents show hidden tools",
    file: "src/server/code_mode/find_downstream.ts",
    text: "tools.filter(({ name }) => mayCall(server, name)).map",
    replacement: "tools.map",
    tests: [...LISTS, ...DOCS],
  },
  {
    name: "a search shows hidden tools",
    file: "src/server/host_calls/search_tools.ts",
    text: "mayCall(server, tool.name)",
    replacement: "server !== tool.name",
    tests: SEARCH,
  },
  {
    name: "runs of other tools reach the servers of code mode",
    file: "src/server/code_mode/find_downstream.ts",
    text: "if (codeMode) return codeMode;",
    replacement: `if (codeMode) return codeMode;
  return { servers: [] } as never;`,
    tests: [...LISTS, ...DOCS, ...SEARCH],
  },
];
