import config from "../deno.json" with { type: "json" };

/** Version of this program. */
export const VERSION: string = config.version;
