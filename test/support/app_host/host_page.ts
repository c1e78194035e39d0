/// <reference lib="dom" />
/**
 * A chat as tests need it: the official client and host of MCP Apps in a page, and the
 * app in a frame of a frame of another origin, as the specification has it.
 *
 * @module
 */
import {
  AppBridge,
  PostMessageTransport,
} from "../../../deps/ext_apps_host.ts";
import {
  Client,
  StreamableHTTPClientTransport,
} from "../../../deps/mcp_client_core.ts";

const MIME = "text/html;profile=mcp-app";
type Fields = Record<string, unknown>;

/** Values are JSON: the test's process calls these through DevTools. */
class Chat {
  /** All that the app has asked of this chat, oldest first. */
  readonly asked: { what: string; given: unknown }[] = [];
  client = new Client({ name: "test chat", version: "1" }, {
    capabilities: {
      extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [MIME] } },
    },
    versionNegotiation: new URLSearchParams(location.search).has("legacy")
      ? { mode: "legacy" }
      : { mode: { pin: "2026-07-28" } },
  });
  /** Answers to the app's calls of `get_run`, in the place of the server's. */
  answers: Fields[] = [];
  bridge?: AppBridge;
  frame?: HTMLIFrameElement;

  async connect(url: string): Promise<void> {
    await this.client.connect(new StreamableHTTPClientTransport(new URL(url)));
  }

  /** Opens the app of a tool. */
  async open(
    name: string,
    { sandbox, context = {}, capabilities }: {
      sandbox: string;
      context?: Fields;
      capabilities?: Fields;
    },
  ): Promise<void> {
    this.frame?.remove();
    const { tools } = await this.client.listTools();
    const tool = tools.find((tool) => tool.name === name);
    if (!tool) throw new Error(`There is no tool ${name}`);
    const { resourceUri } = Object(Object(tool._meta).ui);
    const { contents: [app] } = await this.client.readResource({
      uri: resourceUri,
    });
    if (!app || !("text" in app) || app.mimeType !== MIME) {
      throw new Error("There is no app");
    }
    const frame = this.frame = document.createElement("iframe");
    // As the specification has it for the frame between.
    frame.setAttribute("sandbox", "allow-scripts allow-same-origin");
    frame.src = sandbox;
    document.body.append(frame);
    const bridge = this.bridge = new AppBridge(
      this.client,
      { name: "test chat", version: "1" },
      capabilities ?? {
        ...{ serverTools: {}, serverResources: {}, downloadFile: {} },
        ...{ updateModelContext: { text: {} }, openLinks: {} },
      },
      {
        hostContext: {
          ...{ theme: "light", locale: "en-US", displayMode: "inline" },
          ...{ toolInfo: { tool }, ...context },
        },
      },
    );
    const ask = (what: string) => (given: unknown) => {
      this.asked.push({ what, given });
      return Promise.resolve({});
    };
    bridge.ondownloadfile = ask("save");
    bridge.onupdatemodelcontext = ask("tell");
    bridge.onopenlink = ask("open");
    bridge.onmessage = ask("message");
    bridge.onerror = ({ message }) => void ask("error")(message);
    bridge.onsizechange = (size) => {
      void ask("size")(size);
      frame.style.height = `${size.height}px`;
    };
    const ready = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    bridge.onsandboxready = () => ready.resolve();
    bridge.oninitialized = () => begun.resolve();
    const { contentWindow } = frame;
    if (!contentWindow) throw new Error("The frame has no window");
    await bridge.connect(
      new PostMessageTransport(contentWindow, contentWindow),
    );
    // Connecting has set it.
    const { oncalltool } = bridge;
    bridge.oncalltool = async (call, extra) => {
      this.asked.push({ what: "call", given: call });
      const answer = call.name === "get_run" && this.answers.shift();
      // deno-lint-ignore no-explicit-any -- a test's own answer
      if (answer) return answer as any;
      return await oncalltool?.(call, extra);
    };
    await ready.promise;
    await bridge.sendSandboxResourceReady({ html: app.text });
    await begun.promise;
  }

  /** Has the model call the tool of the app. */
  async call(name: string, args: Fields): Promise<Fields> {
    await this.bridge?.sendToolInput({ arguments: args });
    const answer = await this.client.callTool({ name, arguments: args });
    // The package's type is of another version of the SDK.
    await this.bridge?.sendToolResult(answer as never);
    return { ...answer };
  }

  /** Has the app show an answer of a test. */
  async give(args: Fields, answer: Fields): Promise<void> {
    await this.bridge?.sendToolInput({ arguments: args });
    await this.bridge?.sendToolResult(answer as never);
  }

  /** Sends the app whatever a test likes. */
  send(message: unknown): void {
    this.frame?.contentWindow?.postMessage(message, "*");
  }
}

Object.assign(globalThis, { chat: new Chat() });
