import type { CallToolResult } from "../../../deps/mcp_server.ts";
import type { Log } from "../../protocol/log_lines.ts";
import type { Hub } from "../code_mode/hub.ts";
import type { Contract } from "../contracts/contract.ts";
import type { HostCall } from "../host_calls/host_call.ts";
import type { ComponentParts } from "./component_parts.ts";
import type { ToolCall } from "../host_calls/tool_call.ts";
import type { Shares } from "../shares.ts";
import { callComponent } from "./call_component.ts";
import { ComponentOffers } from "./component_offers.ts";
import { ComponentTools } from "./component_tools.ts";

/** The components of a server, as its clients see them outside of code mode. */
export class Components {
  readonly offers: ComponentOffers;
  #tools: ComponentTools;
  #hub: Hub;
  #callTool: HostCall;

  constructor(
    { hub, callTool, mayCall, timeoutMs }: ComponentParts,
    log: Pick<Log, "write">,
    private readonly shares: Pick<Shares, "turns">,
  ) {
    this.#tools = new ComponentTools(hub, mayCall, log);
    this.offers = new ComponentOffers(hub, log, timeoutMs);
    this.#hub = hub;
    this.#callTool = callTool;
  }

  /** Has a function told when there are other tools. */
  set onChanged(tell: () => void) {
    this.#tools.onChanged = tell;
  }

  /** Their tools that are known by now. */
  get known(): readonly Contract[] {
    return this.#tools.contracts;
  }

  /** Their tools, once each component has told them, or failed. */
  async contracts(): Promise<readonly Contract[]> {
    await this.#tools.ready();
    return this.#tools.contracts;
  }

  async call(
    call: ToolCall,
    context: Omit<Parameters<typeof callComponent>[2], "turns">,
  ): Promise<CallToolResult> {
    const { turns } = this.shares;
    const entry = this.#hub.known()?.find(({ name }) => name === call.server);
    // The user may have agreed to it since.
    if (entry?.changed) await this.#hub.servers();
    try {
      return await callComponent(this.#callTool, call, { ...context, turns });
    } finally {
      // Its file may have changed: no call waits for the look, the next one tells.
      this.#hub.servers().then(() => this.#tools.refresh(), () => {});
    }
  }
}
