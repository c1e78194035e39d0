import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type ElicitRequestFormParams,
  type InputRequest,
  inputRequired,
  type InputRequiredResult,
  type ServerContext,
  type Tool,
} from "../../deps/mcp_server.ts";
import { fields } from "../../src/protocol/fields.ts";

/** A tool that the suite calls by its name. */
export interface FixtureTool {
  inputSchema?: Tool["inputSchema"];
  call(
    context: ServerContext,
    args: Record<string, unknown>,
  ): Answer | Promise<Answer>;
}

type Answer = CallToolResult | InputRequiredResult;

/** A pixel. */
export const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/** Silence. */
const WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

/** Seals what a client keeps between the rounds of a request. */
export const stateSeal = createRequestStateCodec<{ name?: string }>({
  key: crypto.getRandomValues(new Uint8Array(32)),
});

const text = (text: string): CallToolResult => ({
  content: [{ type: "text", text }],
});

export const IMAGE = {
  type: "image",
  data: PNG,
  mimeType: "image/png",
} as const;

export function embedded(uri: string, mimeType: string, text: string) {
  return { type: "resource", resource: { uri, mimeType, text } } as const;
}

type Properties = ElicitRequestFormParams["requestedSchema"]["properties"];

/** Asks for fields of an object, all of them strings if nothing else is said. */
export function ask(message: string, properties: Properties) {
  return inputRequired.elicit({
    message,
    requestedSchema: {
      type: "object",
      properties,
      required: Object.keys(properties),
    },
  });
}

const NAME = { name: { type: "string" } } as const;
const CONFIRM = ask("Go on?", { ok: { type: "boolean" } });

function askModel(text: string) {
  return inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text } }],
    maxTokens: 50,
  });
}

/** A request of 2025 to the client's user. */
async function elicit(
  { mcpReq }: ServerContext,
  message: string,
  properties: Properties,
): Promise<CallToolResult> {
  const { action, content } = await mcpReq.send({
    method: "elicitation/create",
    params: {
      message,
      requestedSchema: { type: "object", properties, required: [] },
    },
  });
  return text(`${action}: ${JSON.stringify(content)}`);
}

/** Tools without a result of their own. */
const done = () => text("done");

/** Log messages of 2025. */
async function tell({ mcpReq }: ServerContext): Promise<CallToolResult> {
  for (const data of ["one", "two", "three"]) {
    await mcpReq.notify({
      method: "notifications/message",
      params: { level: "info", data },
    });
  }
  return done();
}

async function progress({ mcpReq }: ServerContext): Promise<CallToolResult> {
  const progressToken = mcpReq._meta?.progressToken;
  for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
    await mcpReq.notify({
      method: "notifications/progress",
      params: { progressToken, progress, total: 100 },
    });
  }
  return text(String(progressToken));
}

async function sample(
  { mcpReq }: ServerContext,
  { prompt }: Record<string, unknown>,
): Promise<CallToolResult> {
  const { content } = await mcpReq.send({
    method: "sampling/createMessage",
    params: {
      messages: [{ role: "user", content: { type: "text", text: prompt } }],
      maxTokens: 100,
    },
  });
  return text(`The model says ${JSON.stringify(content)}`);
}

const OPTIONS = ["option1", "option2", "option3"];
const TITLED = [1, 2, 3].map((number) => ({
  const: `value${number}`,
  title: `Option ${number}`,
}));

/** Asks for a name, then for a color; the client keeps the name. */
async function rounds({ mcpReq }: ServerContext): Promise<Answer> {
  const { inputResponses } = mcpReq;
  const known = mcpReq.requestState<{ name?: string }>();
  const { name } =
    acceptedContent<{ name?: string }>(inputResponses, "step1") ??
      {};
  if (known?.name !== undefined) return text(`${known.name} is known`);
  return name === undefined
    ? inputRequired({
      inputRequests: { step1: ask("Your name?", NAME) },
      requestState: await stateSeal.mint({}),
    })
    : inputRequired({
      inputRequests: { step2: ask("A color?", { color: { type: "string" } }) },
      requestState: await stateSeal.mint({ name }),
    });
}

async function confirm({ mcpReq }: ServerContext): Promise<Answer> {
  const isConfirmed = mcpReq.requestState() !== undefined &&
    acceptedContent(mcpReq.inputResponses, "confirm") !== undefined;
  return isConfirmed ? text("state-ok") : inputRequired({
    inputRequests: { confirm: CONFIRM },
    requestState: await stateSeal.mint({}),
  });
}

/** Asks for each of these that has no answer yet, if the client can be asked. */
function askFor(
  requests: Record<string, { needs: string; ask: InputRequest }>,
) {
  return async ({ mcpReq }: ServerContext): Promise<Answer> => {
    const answers = mcpReq.inputResponses ?? {};
    const can = fields(
      fields(mcpReq.envelope)[CLIENT_CAPABILITIES_META_KEY],
    );
    const missing = Object.entries(requests)
      .filter(([key, { needs }]) => needs in can && !isAnswer(answers[key]))
      .map(([key, { ask }]) => [key, ask]);
    return missing.length === 0
      ? text(JSON.stringify(answers))
      : inputRequired({
        inputRequests: Object.fromEntries(missing),
        requestState: await stateSeal.mint({}),
      });
  };
}

/** Whether the client's user, model or settings gave more than a refusal. */
function isAnswer(answer: unknown): boolean {
  const { action, content, roots } = fields(answer);
  return action === "accept" ||
    action === undefined && Boolean(content || roots);
}

const askForName = {
  "user_name": { needs: "elicitation", ask: ask("Your name?", NAME) },
};
const askForGreeting = {
  greeting: { needs: "sampling", ask: askModel("Greet the user") },
};
const askForRoots = {
  "client_roots": { needs: "roots", ask: inputRequired.listRoots() },
};

const SCHEMA_2020_12: Tool["inputSchema"] = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: {
    properties: { contactMethod: { const: "phone" } },
    required: ["contactMethod"],
  },
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

/** By the name that the suite calls. */
export const TOOLS: Record<string, FixtureTool> = {
  greet: { call: (_, { name }) => text(`Hello, ${name}!`) },
  "test_simple_text": { call: () => text("A simple text.") },
  "test_image_content": { call: () => ({ content: [IMAGE] }) },
  "test_audio_content": {
    call: () => ({
      content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }],
    }),
  },
  "test_embedded_resource": {
    call: () => ({
      content: [embedded("test://embedded-resource", "text/plain", "A text.")],
    }),
  },
  "test_multiple_content_types": {
    call: () => ({
      content: [
        { type: "text", text: "Text, a picture and a resource." },
        IMAGE,
        embedded("test://mixed", "application/json", "{}"),
      ],
    }),
  },
  "test_tool_with_logging": { call: tell },
  "test_tool_with_progress": { call: progress },
  "test_error_handling": {
    call: () => ({ ...text("The tool fails on purpose."), isError: true }),
  },
  "test_reconnection": {
    call({ http }) {
      http?.closeSSE?.();
      return done();
    },
  },
  "test_sampling": { call: sample },
  "test_elicitation": {
    call: (context, { message }) =>
      elicit(context, String(message), { response: { type: "string" } }),
  },
  "test_elicitation_sep1034_defaults": {
    call: (context) =>
      elicit(context, "Is this right?", {
        name: { type: "string", default: "John Doe" },
        age: { type: "integer", default: 30 },
        score: { type: "number", default: 95.5 },
        status: {
          type: "string",
          enum: ["active", "inactive", "pending"],
          default: "active",
        },
        verified: { type: "boolean", default: true },
      }),
  },
  "test_elicitation_sep1330_enums": {
    call: (context) =>
      elicit(context, "Choose.", {
        untitledSingle: { type: "string", enum: OPTIONS },
        titledSingle: { type: "string", oneOf: TITLED },
        legacyEnum: {
          type: "string",
          enum: OPTIONS,
          enumNames: ["Option 1", "Option 2", "Option 3"],
        },
        untitledMulti: {
          type: "array",
          items: { type: "string", enum: OPTIONS },
        },
        titledMulti: { type: "array", items: { anyOf: TITLED } },
      }),
  },
  "json_schema_2020_12_tool": { inputSchema: SCHEMA_2020_12, call: done },
  "test_missing_capability": {
    call: () => inputRequired({ inputRequests: { answer: askModel("Hello") } }),
  },
  "test_streaming_elicitation": { call: done },
  "test_logging_tool": {
    async call({ mcpReq }) {
      await mcpReq.log("info", "A message for clients that ask for it.");
      return done();
    },
  },
  "test_input_required_result_elicitation": { call: askFor(askForName) },
  "test_input_required_result_sampling": {
    call: askFor({
      "capital_question": {
        needs: "sampling",
        ask: askModel("Whose capital?"),
      },
    }),
  },
  "test_input_required_result_list_roots": { call: askFor(askForRoots) },
  "test_input_required_result_request_state": { call: confirm },
  "test_input_required_result_multiple_inputs": {
    call: askFor({ ...askForName, ...askForGreeting, ...askForRoots }),
  },
  "test_input_required_result_multi_round": { call: rounds },
  "test_input_required_result_tampered_state": { call: confirm },
  "test_input_required_result_capabilities": {
    call: askFor({ ...askForName, ...askForGreeting, ...askForRoots }),
  },
};
