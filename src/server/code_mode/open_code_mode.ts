import type { ServerSettings } from "../../protocol/server_settings.ts";
import type { BrokerLine } from "../broker_line.ts";
import { openArtifact } from "../host_calls/artifact.ts";
import { openCallTool } from "../host_calls/call_tool.ts";
import { HOST_CALLS, type HostCalls } from "../host_calls/host_calls.ts";
import { openListTools } from "../host_calls/list_tools.ts";
import { openMemory } from "../host_calls/memory.ts";
import { openSaveFunction } from "../host_calls/save_function.ts";
import { openSearchTools, openToolDocs } from "../host_calls/tool_docs.ts";
import { Share } from "../../shares.ts";
import { MOST_DRAFTS } from "../shares.ts";
import { openKeeper } from "../keeper.ts";
import type { CodeModeParts } from "./code_mode.ts";
import { DownstreamHub } from "./downstream_hub.ts";
import { toCallWaitMs } from "../to_run_setup.ts";
import { ToolRules } from "./tool_rules.ts";
import { mcpManual } from "./manual.ts";

/** The parts of code mode, and the calls that its runs may make. */
export interface OpenedCodeMode {
  parts: CodeModeParts;
  hostCalls: HostCalls;
}

/** Opens code mode, beyond the broker; no process is started yet. */
export function openCodeMode(
  broker: Pick<BrokerLine, "askServers" | "spawn" | "log">,
  settings: ServerSettings,
): OpenedCodeMode {
  const { log } = broker;
  const { startTimeoutSeconds, maxHostCallSize: size } = settings;
  // A component outside of code mode may do what its policy grants, and no more.
  const approve = settings.codeMode ? settings.approve : "none";
  const kept = openKeeper(broker, "state");
  const hub = new DownstreamHub(broker, { startTimeoutSeconds, kept, log });
  const rules = new ToolRules(settings, log);
  const mayCall = (server: string, tool: string) => rules.mayCall(server, tool);
  const drafts = new Share(MOST_DRAFTS);
  const limits = {
    approve,
    size,
    // A caller of HTTP may be anyone, and a grant is for all callers.
    asksGrants: settings.approve === "grants" && !settings.http,
    approvalMs: toCallWaitMs(settings),
    timeoutMs: settings.hostCallTimeoutSeconds * 1000,
  };
  const callTool = openCallTool({ hub, rules, limits });
  const { timeoutMs } = limits;
  return {
    parts: {
      ...{ hub, kept, drafts },
      components: { hub, callTool, mayCall, timeoutMs },
      // A caller of HTTP may be anyone whose code has the entry written.
      startApprovalMs: settings.http ? undefined : limits.approvalMs,
    },
    hostCalls: {
      ...HOST_CALLS,
      asks: [
        openListTools(hub, mayCall),
        callTool,
        ...settings.codeMode
          ? [
            openToolDocs(hub, mayCall),
            openSearchTools(hub, mayCall),
            mcpManual,
            openSaveFunction(kept),
            openMemory(kept, { maxCall: size }),
            openArtifact(kept, { maxCall: size, share: drafts }),
          ]
          : [],
      ],
    },
  };
}
