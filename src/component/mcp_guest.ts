import type {
  AskMethod,
  Offer,
  ToBridge,
} from "../protocol/bridge_messages.ts";
import { type DownstreamTool, maybeTool } from "../protocol/downstream.ts";
import { fields, isObject } from "../protocol/fields.ts";
import { VERSION } from "../version.ts";
import type { WitFunction } from "../wit/types.ts";
import {
  annotationsOf,
  type Called,
  type Guest,
  type GuestParts,
  toFailure,
  withDenied,
} from "./guest.ts";
import { Refused } from "./refused.ts";
import type { Invocation } from "./worker_messages.ts";

const PACKAGE = "mcp-wasm:server";
/** The caller whose instance lists tools and prompts: the list is for all. */
const LISTER = "\0list";
/** Tools that a component may list. */
const MOST_TOOLS = 2000;

type Fields = Record<string, unknown>;

/** A component of the world `mcp-wasm:server`, which serves as an MCP server does. */
export class McpGuest implements Guest {
  #functions = new Map<string, WitFunction>();

  constructor(private readonly parts: GuestParts) {
    for (const fn of parts.wit.functions) {
      const scope = fn.interface === undefined
        ? ""
        : fn.interface.slice(PACKAGE.length + 1).replace(/@.*/, ".");
      this.#functions.set(scope + fn.name, fn);
    }
  }

  async list() {
    const { grants } = this.parts;
    const [info, listed] = [
      await this.#value("initialize", this.#greeting.args, LISTER),
      await this.#value("tools.get-list", {}, LISTER),
    ];
    const [said] = Array.isArray(info) ? info : [];
    const { name, version } = fields(said);
    const annotations = annotationsOf(grants);
    const tools = new Map<string, DownstreamTool>();
    for (const one of listOf(listed).slice(0, MOST_TOOLS)) {
      const tool = maybeTool({
        ...one,
        inputSchema: readSchema(one.input_schema),
      });
      if (tool && !tools.has(tool.name)) {
        tools.set(tool.name, { ...tool, annotations });
      }
    }
    const offers = (["prompts", "resources"] as Offer[]).filter((offer) =>
      this.#functions.has(
        offer === "prompts" ? "prompts.get-list" : "resources.list",
      )
    );
    return {
      server: { name: String(name), version: String(version) },
      tools: [...tools.values()],
      offers,
    };
  }

  async call(tool: string, args: string, owner: string): Promise<object> {
    const given = { "tool_name": tool, params: args };
    const called = await this.#invoke("tools.call", given, owner);
    const { outcome, denied } = called;
    if (outcome.kind !== "value") return toFailure(called);
    const { tag, value } = fields(JSON.parse(outcome.text));
    return withDenied(denied, { content: [toBlock(String(tag), value)] });
  }

  async ask(method: AskMethod, params: string, owner: string): Promise<object> {
    switch (method) {
      case "prompts/list": {
        const prompts = await this.#value("prompts.get-list", {}, owner);
        return { prompts };
      }
      case "resources/list": {
        const found = await this.#value("resources.list", {}, owner);
        return { resources: listOf(found).map(toMcpNames) };
      }
      case "resources/read": {
        const { uri } = fields(JSON.parse(params));
        const found = await this.#value("resources.read", { uri }, owner);
        const contents = listOf(found).map(({ content, ...rest }) => {
          const { tag, value } = fields(content);
          return { ...toMcpNames(rest), [String(tag)]: value };
        });
        return { contents };
      }
    }
  }

  async notify(
    { name, params, owner = "" }: ToBridge & { type: "notify" },
  ): Promise<void> {
    const said = params === undefined ? {} : { params };
    await this.#invoke("notify", { name, ...said }, owner);
  }

  /** The value of a function, of which a failure is a sentence. */
  async #value(name: string, args: object, owner: string): Promise<unknown> {
    const { outcome, printed } = await this.#invoke(name, args, owner);
    if (outcome.kind === "value") return JSON.parse(outcome.text || "null");
    if (outcome.kind === "error") {
      const { code, message } = fields(JSON.parse(outcome.text));
      throw new Refused("protocol", `it refuses: ${message} (error ${code})`);
    }
    const words = printed.trim() && `. It printed: ${printed.trim()}`;
    throw new Refused("protocol", `it fails: ${outcome.text}${words}`);
  }

  async #invoke(name: string, args: object, owner: string): Promise<Called> {
    const fn = this.#functions.get(name);
    if (!fn) throw new Refused("protocol", `it does not export ${name}`);
    const isFresh = this.parts.grants.instance === "fresh";
    const first = name === "initialize" ? [] : [this.#first];
    const call = { fn, args: JSON.stringify(args) };
    return await this.parts.invoke(
      call,
      isFresh ? { first } : { instance: owner, first },
    );
  }

  get #greeting() {
    return {
      args: {
        client_info: { name: "mcp-run-python", version: VERSION },
        capabilities: [],
      },
    };
  }

  /** An instance learns of its client before anything else. */
  get #first(): Invocation {
    const fn = this.#functions.get("initialize");
    if (!fn) throw new Refused("protocol", "it does not export initialize");
    return { fn, args: JSON.stringify(this.#greeting.args) };
  }
}

function readSchema(text: unknown): object {
  try {
    const schema: unknown = JSON.parse(String(text));
    if (isObject(schema)) return { ...schema, type: "object" };
  } catch {
    // Its tool takes anything.
  }
  return { type: "object" };
}

function toBlock(tag: string, value: unknown): object {
  if (tag === "image") {
    return { type: "image", ...toMcpNames(fields(value)) };
  }
  if (tag === "resource") {
    return { type: "resource", resource: toMcpNames(fields(value)) };
  }
  return { type: "text", text: String(value) };
}

function toMcpNames({ mime_type: mimeType, ...rest }: Fields): Fields {
  return mimeType === undefined ? rest : { ...rest, mimeType };
}

function listOf(data: unknown): Fields[] {
  return Array.isArray(data) ? data.filter(isObject) : [];
}
