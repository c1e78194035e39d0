import { isComponent } from "../../protocol/downstream.ts";
import { messageOf } from "../../errors.ts";
import type { AskMethod, Offer } from "../../protocol/bridge_messages.ts";
import { fields, is, isObject } from "../../protocol/fields.ts";
import type { Log } from "../../protocol/log_lines.ts";
import { DownstreamError, type Hub } from "../code_mode/hub.ts";
import { toToolName } from "./component_tools.ts";

/** A client's request, as far as a component learns of it. */
export interface Asker {
  /** Of the client, by which a component keeps its instances apart. */
  caller: string;
  signal: AbortSignal;
}

type Found = Record<string, unknown>;

/** Prompts and resources of components: words that may lie, checked and bounded. */
export class ComponentOffers {
  constructor(
    private readonly hub: Hub,
    private readonly log: Pick<Log, "write">,
    private readonly timeoutMs: number,
  ) {}

  async prompts(asker: Asker): Promise<Found[]> {
    const all = await this.#list("prompts", asker);
    const named = all.map(({ component, found }) => ({
      ...found,
      name: toToolName(component, String(found.name)),
    }));
    return uniqueBy("name", named);
  }

  async resources(asker: Asker): Promise<Found[]> {
    const all = await this.#list("resources", asker);
    return uniqueBy("uri", all.map(({ found }) => found));
  }

  /**
   * The contents of a resource; undefined if no component has it. A component is asked
   * only for what it lists, or if it alone has resources: an address can be a secret.
   *
   * @throws {DownstreamError} If the component refuses to read it.
   */
  async maybeRead(uri: string, asker: Asker): Promise<Found[] | undefined> {
    const names = await this.#offering("resources", asker);
    const all = names.length > 1 ? await this.#list("resources", asker) : [];
    const owner = all.find(({ found }) => found.uri === uri)?.component;
    const component = names.length === 1 ? names[0] : owner;
    if (component === undefined) return undefined;
    const params = { uri };
    const { contents } = await this.#ask(
      component,
      "resources/read",
      params,
      asker,
    );
    return listOf(contents).filter((one) => is.text(one.uri));
  }

  /** Passes a notification of a client on to all components that run. */
  async notify(name: string, params: unknown, caller: string): Promise<void> {
    const said = params === undefined ? {} : { params: JSON.stringify(params) };
    for (const component of await this.#components()) {
      this.hub.notify(component, { name, ...said, owner: caller });
    }
  }

  async #components(): Promise<string[]> {
    return (await this.hub.servers())
      .filter(isComponent).map(({ name }) => name);
  }

  /** A component that fails hides no other. */
  async #offering(offer: Offer, { signal }: Asker): Promise<string[]> {
    const names = await this.#components();
    const offering = await Promise.all(names.map(async (name) => {
      const offers = await this.hub.offers(name, signal)
        .catch((error): Offer[] => this.#tellFailed(name, error));
      return offers.includes(offer) ? [name] : [];
    }));
    return offering.flat();
  }

  async #list(offer: Offer, asker: Asker) {
    const names = await this.#offering(offer, asker);
    const lists = await Promise.all(names.map(async (component) => {
      const listed = await this.#ask(component, `${offer}/list`, {}, asker)
        .catch((error) => ({ [offer]: this.#tellFailed(component, error) }));
      const key = offer === "prompts" ? "name" : "uri";
      return listOf(listed[offer])
        .filter((found) => is.text(found[key]) && found[key] !== "")
        .map((found) => ({ component, found }));
    }));
    return lists.flat();
  }

  async #ask(
    component: string,
    method: AskMethod,
    params: object,
    { caller, signal }: Asker,
  ): Promise<Found> {
    const options = { signal, timeoutMs: this.timeoutMs, caller };
    const text = JSON.stringify(params);
    return fields(
      JSON.parse(await this.hub.ask(component, method, text, options)),
    );
  }

  #tellFailed(component: string, error: unknown): never[] {
    if (!(error instanceof DownstreamError)) throw error;
    this.log.write("warning", "component", {
      component,
      error: messageOf(error),
    });
    return [];
  }
}

/** The first of each name: it is the one that is read. */
function uniqueBy(key: string, all: readonly Found[]): Found[] {
  const first = new Map<unknown, Found>();
  for (const found of all) {
    if (!first.has(found[key])) first.set(found[key], found);
  }
  return [...first.values()];
}

function listOf(data: unknown): Found[] {
  return Array.isArray(data) ? data.filter(isObject) : [];
}
