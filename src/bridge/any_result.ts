/** What the client may take for a result: any; the code that called judges it. */
export const ANY_RESULT = {
  "~standard": {
    version: 1,
    vendor: "mcp-run-python",
    validate: (value: unknown): { value: unknown } => ({ value }),
  },
} as const;
