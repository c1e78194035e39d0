import type { Mutation } from "./mutation.ts";

const HEADERS = {
  file: "src/server/transports/http/routes/page.ts",
  tests: ["src/server/transports/http/routes/page_test.ts"],
};

/** Walls between hostile code and the person who looks at the page. */
export const PAGE: readonly Mutation[] = [
  {
    ...HEADERS,
    name: "the page takes scripts of any origin",
    text: "\"script-src 'self'\"",
    replacement: '"script-src *"',
  },
  {
    ...HEADERS,
    name: "the page takes markup from its script",
    text: "\"require-trusted-types-for 'script'\",",
    replacement: "",
  },
  {
    ...HEADERS,
    name: "the path of MCP is markup of the page",
    text: "() => escapeValue(path.slice(1))",
    replacement: "() => path.slice(1)",
  },
  {
    name: "a caller sees the runs of others",
    file: "src/server/watch.ts",
    text: "client.caller === caller;",
    replacement: "true || client.caller === caller;",
    tests: ["src/server/watch_test.ts"],
  },
];
