/** The tool that waits for a run that goes on though its call is answered. */
export const GET_RUN = "get_run";
/** In the metadata of its request, the place of the first character that a program wants. */
export const OUTPUT_FROM = "mcp-run-python/outputFrom";
/** In the metadata of its answer, the place of the character after its output. */
export const OUTPUT_NEXT = "mcp-run-python/outputNext";
