// For tests: ajv, a validator of JSON Schema, as the SDK has it.
export { addFormats, Ajv } from "@modelcontextprotocol/client/validators/ajv";
