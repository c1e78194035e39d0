/** A server of the world `mcp-wasm:server`: test/guests/README.md tells what it does. */

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const seen = { client: null, capabilities: {}, notifications: [] };
let calls = 0;

export function initialize(clientInfo, capabilities) {
  seen.client = { name: clientInfo.name, version: clientInfo.version };
  seen.capabilities = Object.fromEntries(capabilities);
  return [
    { name: "guest", version: "1.0.0" },
    [
      ["tools", true],
      ["prompts", true],
      ["resources", true],
      ["resources/subscribe", false],
    ],
  ];
}

export function notify(name, params) {
  seen.notifications.push({ name, params: params ?? null });
}

const string = { type: "string" };
const integer = { type: "integer" };

const text = (value) => ({ tag: "text-response", val: value });

const TOOLS = {
  echo: {
    description: "Gives a text back",
    properties: { text: string },
    call: (given) => text(given.text),
  },
  image: {
    description: "Gives a picture of one pixel",
    properties: {},
    call: () => ({
      tag: "image",
      val: { data: PIXEL, mimeType: "image/png" },
    }),
  },
  resource: {
    description: "Gives a resource",
    properties: {},
    call: () => ({
      tag: "resource",
      val: { uri: "guest://text", mimeType: "text/plain", text: "embedded" },
    }),
  },
  add: {
    description: "Adds two integers",
    properties: { a: integer, b: integer },
    call: ({ a, b }) => text(String(a + b)),
  },
  count: {
    description: "Counts the calls of this instance",
    properties: {},
    call: () => text(String(calls)),
  },
  seen: {
    description: "Tells the client and its notifications",
    properties: {},
    call: () => text(JSON.stringify(seen)),
  },
  fail: {
    description: "Traps",
    properties: { message: string },
    call({ message }) {
      throw new Error(message);
    },
  },
  spin: {
    description: "Never ends",
    properties: {},
    call() {
      while (true);
    },
  },
  hog: {
    description: "Allocates memory",
    properties: { mib: integer },
    call({ mib }) {
      const blocks = [];
      while (blocks.length < mib) blocks.push(new Uint8Array(1 << 20).fill(1));
      return text(String(blocks.length));
    },
  },
  flood: {
    description: "Gives a long text",
    properties: { bytes: integer },
    call: ({ bytes }) => text("x".repeat(bytes)),
  },
  print: {
    description: "Prints a text, and to stderr too",
    properties: { text: string },
    call(given) {
      // QuickJS has no console, and this build has no streams.
      globalThis.console?.log(given.text);
      return text("printed");
    },
  },
};

export const tools = {
  getList: () =>
    Object.entries(TOOLS).map(([name, { description, properties }]) => ({
      name,
      description,
      inputSchema: JSON.stringify({
        type: "object",
        properties,
        required: Object.keys(properties),
      }),
    })),

  call(name, params) {
    calls++;
    const tool = TOOLS[name];
    if (tool === undefined) throw new Error(`no such tool: ${name}`);
    return tool.call(JSON.parse(params));
  },
};

export const prompts = {
  getList: () => [
    {
      name: "greet",
      description: "Greets a person",
      arguments: [
        { name: "name", description: "Of the person", required: true },
        { name: "tone", description: undefined, required: undefined },
      ],
    },
    { name: "plain", description: undefined, arguments: [] },
  ],
};

export const resources = {
  list: () => [
    {
      uri: "guest://text",
      name: "text",
      description: "A text",
      mimeType: "text/plain",
    },
    {
      uri: "guest://blob",
      name: "blob",
      description: undefined,
      mimeType: undefined,
    },
  ],

  read(uri) {
    switch (uri) {
      case "guest://text":
        return [{
          uri,
          mimeType: "text/plain",
          content: { tag: "text", val: "a text" },
        }];
      case "guest://blob":
        return [{
          uri,
          mimeType: undefined,
          content: { tag: "blob", val: "AAEC/w==" },
        }];
      default:
        // What is thrown becomes the error of the result.
        throw {
          code: 4,
          message: `no resource ${uri}`,
          data: JSON.stringify({ uri }),
        };
    }
  },
};
