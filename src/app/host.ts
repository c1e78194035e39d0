/// <reference lib="dom" />
import {
  App,
  type McpUiHostContext,
  PostMessageTransport,
} from "../../deps/ext_apps.ts";
import { type Fields, fieldsOf, listOf } from "../page/mcp_client.ts";
import { SCHEME } from "../page/resource_link.ts";
import { keepKnown } from "./known_context.ts";

/** Longer than any run; a host has a limit of its own. */
const NEVER_MS = 24 * 3_600_000;

/** The chat that shows this app, which may offer less than an app can ask for. */
export class Host {
  #app = new App(
    { name: "mcp-run-python", version: "1" },
    { availableDisplayModes: ["inline", "fullscreen"] },
  );

  constructor(
    events: {
      /** The arguments of the call, whole or as far as the model has written them. */
      onInput(args: Fields, isWhole: boolean): void;
      onResult(answer: Fields): void;
      onCancelled(reason: string): void;
      onContext(context: McpUiHostContext): void;
      /** A message of the chat has another form. */
      onError(error: Error): void;
      onLeave(): void;
    },
  ) {
    const app = this.#app;
    app.ontoolinput = (given) =>
      events.onInput(fieldsOf(given.arguments), true);
    app.ontoolinputpartial = (given) =>
      events.onInput(fieldsOf(given.arguments), false);
    app.ontoolresult = (answer) => events.onResult(fieldsOf(answer));
    app.ontoolcancelled = ({ reason }) => events.onCancelled(reason ?? "");
    app.onhostcontextchanged = (context) => events.onContext(context);
    app.onerror = (error) => events.onError(error);
    app.onteardown = () => {
      events.onLeave();
      return {};
    };
  }

  /** @throws {Error} If there is no chat, or it speaks another protocol. */
  async connect(): Promise<void> {
    const transport = new PostMessageTransport(parent, parent);
    // The package calls it before it reads the message itself.
    transport.onmessage = keepKnown;
    await this.#app.connect(transport);
  }

  get context(): McpUiHostContext {
    return this.#app.getHostContext() ?? {};
  }

  get can(): Record<"call" | "read" | "save" | "tell" | "expand", boolean> {
    const has = this.#app.getHostCapabilities() ?? {};
    const modes = this.context.availableDisplayModes ?? [];
    return {
      call: has.serverTools !== undefined,
      read: has.serverResources !== undefined,
      save: has.downloadFile !== undefined,
      tell: has.updateModelContext !== undefined,
      expand: modes.includes("fullscreen"),
    };
  }

  async call(name: string, args: Fields, _meta: Fields = {}): Promise<Fields> {
    const call = { name, arguments: args, _meta };
    const options = { timeout: NEVER_MS, maxTotalTimeout: NEVER_MS };
    return fieldsOf(await this.#app.callServerTool(call, options));
  }

  /** @throws {Error} If the chat reads nothing, or the address is of no run. */
  async read(uri: string): Promise<{ text?: string; blob?: string }> {
    if (!uri.startsWith(SCHEME)) {
      throw new Error(`${uri} is not an address of this server's runs.`);
    }
    if (!this.can.read) throw new Error("This chat reads no files for an app.");
    const { contents } = await this.#app.readServerResource({ uri });
    const [{ text, blob } = {}] = listOf(contents);
    return blob === undefined
      ? { text: String(text ?? "") }
      : { blob: String(blob) };
  }

  /** Has the chat save a file, as a frame may save none itself. */
  async save(name: string, parts: BlobPart[]): Promise<void> {
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
    const uri = `file:///${encodeURIComponent(name)}`;
    // Of no type that a browser would open.
    const mimeType = "application/octet-stream";
    const resource = { uri, mimeType, blob: bytes.toBase64() };
    const { isError } = await this.#app.downloadFile({
      contents: [{ type: "resource", resource }],
    });
    if (isError) throw new Error(`The chat has not saved ${name}.`);
  }

  /** Has the model know of a run that its user has started. */
  async tell(text: string): Promise<void> {
    await this.#app.updateModelContext({ content: [{ type: "text", text }] });
  }

  /** Asks for the window, or for its place between messages; gives what it has. */
  async show(mode: "inline" | "fullscreen"): Promise<McpUiHostContext> {
    const given = await this.#app.requestDisplayMode({ mode });
    return { displayMode: given.mode };
  }
}
