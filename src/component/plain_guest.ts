import { VERSION } from "../version.ts";
import { toolNameOf, toTools } from "../wit/schema.ts";
import type { WitFunction } from "../wit/types.ts";
import {
  annotationsOf,
  type Guest,
  type GuestParts,
  toFailure,
  withDenied,
} from "./guest.ts";
import { Refused } from "./refused.ts";

/** A component of any world: its functions are tools. */
export class PlainGuest implements Guest {
  #functions: Map<string, WitFunction>;

  constructor(private readonly parts: GuestParts) {
    this.#functions = new Map(
      parts.wit.functions.map((fn) => [toolNameOf(fn), fn]),
    );
  }

  list() {
    const { name, wit, grants } = this.parts;
    const annotations = annotationsOf(grants);
    const tools = toTools(wit).map((tool) => ({ ...tool, annotations }));
    const instructions = wit.leftOut.map((one) =>
      `${one.name} is left out: ${one.reason}`
    ).join("\n");
    const server = {
      ...{ name, version: VERSION },
      ...instructions && { instructions },
    };
    return Promise.resolve({ server, tools });
  }

  async call(tool: string, args: string, owner: string): Promise<object> {
    const fn = this.#functions.get(tool);
    if (!fn) throw new Refused("protocol", `it has no function "${tool}"`);
    const isKept = this.parts.grants.instance === "kept";
    const called = await this.parts.invoke(
      { fn, args },
      isKept ? { instance: owner } : {},
    );
    const { outcome, denied } = called;
    if (outcome.kind === "error") {
      const error = JSON.parse(outcome.text);
      const text = typeof error === "string" ? error : outcome.text;
      return toFailure(
        { ...called, outcome: { kind: "error", text } },
        { structuredContent: { error } },
      );
    }
    if (outcome.kind !== "value") return toFailure(called);
    if (outcome.text === "") return withDenied(denied, { content: [] });
    const result = JSON.parse(outcome.text);
    const text = typeof result === "string" ? result : outcome.text;
    return withDenied(denied, {
      content: [{ type: "text", text }],
      ...{ structuredContent: { result } },
    });
  }

  ask(): Promise<never> {
    throw new Refused("protocol", "it has neither prompts nor resources");
  }
}
