import type { Tool } from "../../../deps/mcp_server.ts";
import { UI_EXTENSION } from "../client_capabilities.ts";

const APP_URI = "ui://mcp-run-python/result";
/** The type of apps, which clients that show them name, too. */
const APP_TYPE = "text/html;profile=mcp-app";

/** The server's side of the extension. */
export const APPS = { [UI_EXTENSION]: { mimeTypes: [APP_TYPE] } };

/** The tools whose results the app shows. */
const SHOWN: readonly string[] = ["run_python_code", "run_python"];

export const APP_RESOURCE = {
  uri: APP_URI,
  name: "The result of a run",
  description: "Shows it to a user: values, tables, pictures, pages, files.",
  mimeType: APP_TYPE,
};

/** A tool as a client that shows apps sees it. */
export function withApp(tool: Tool): Tool {
  if (!SHOWN.includes(tool.name)) return tool;
  const _meta = { ...tool._meta, ui: { resourceUri: APP_URI } };
  return { ...tool, _meta };
}

export function isAppUri(uri: string): boolean {
  return uri === APP_URI;
}

/** The app: a page of one file, which asks nothing of any network. */
export async function readApp() {
  // Most servers never need it.
  const { default: text } = await import("../../app/bundle/app.html", {
    with: { type: "text" },
  });
  const ui = {
    // The chat refuses all origins that are not listed.
    csp: { connectDomains: [], resourceDomains: [], frameDomains: [] },
    permissions: { clipboardWrite: {} },
    prefersBorder: true,
  };
  return { uri: APP_URI, mimeType: APP_TYPE, text, _meta: { ui } };
}
