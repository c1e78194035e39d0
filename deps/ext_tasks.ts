// Tasks of MCP: the schemas of its official package, for both eras.
export {
  GetTaskRequestV1Schema,
  ListTasksRequestV1Schema,
  TaskMetadataV1Schema,
} from "@modelcontextprotocol/ext-tasks/core/v1";
export {
  hasTaskClientCapabilityV2,
} from "@modelcontextprotocol/ext-tasks/core/v2";
export type { TaskV1 } from "@modelcontextprotocol/ext-tasks/core/v1";
export type { TaskV2 } from "@modelcontextprotocol/ext-tasks/core/v2";
