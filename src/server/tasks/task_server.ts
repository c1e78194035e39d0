import { Server, type ServerCapabilities } from "../../../deps/mcp_server.ts";
import { TASKS } from "./tasks_2026.ts";

type Wrap = Server["_wrapHandler"];

/** The SDK's server, and what it does not know of tasks. */
export class TaskServer extends Server {
  /** Clients of 2025 have tasks without the extension. */
  override getCapabilities(): ServerCapabilities {
    const all = super.getCapabilities();
    const { [TASKS]: _, ...extensions } = { ...all.extensions };
    const version = this.getNegotiatedProtocolVersion();
    return version && version < "2026" ? { ...all, extensions } : all;
  }

  /** The SDK takes each answer to a call for a result, which has content. */
  protected override _wrapHandler(
    ...[method, handler]: Parameters<Wrap>
  ): ReturnType<Wrap> {
    const wrapped = super._wrapHandler(method, handler);
    return async (...request) => {
      const told = await wrapped(...request);
      if (!("task" in told) && told.resultType !== "task") return told;
      const { content: _, ...task } = told;
      return task;
    };
  }
}
