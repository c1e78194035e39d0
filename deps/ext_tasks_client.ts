// For tests: the requester of the official package for tasks of MCP.
export {
  createTaskSessionFromClient,
  resultFromTaskOutcome,
} from "@modelcontextprotocol/ext-tasks/client";
export type {
  JsonRpcResponse,
  TaskEnabledSession,
} from "@modelcontextprotocol/ext-tasks/client";
