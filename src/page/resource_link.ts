/// <reference lib="dom" />
import { download, type GivenFile } from "./downloads.ts";
import { element, note } from "./elements.ts";
import type { McpClient } from "./mcp_client.ts";

/** Of all addresses of the server's runs. */
export const SCHEME = "run-python://";

/** A link to a resource of the server, which the browser saves. */
export function resourceLink(
  mcp: Pick<McpClient, "read">,
  file: GivenFile,
  label: string,
): HTMLElement {
  const said = element("span", { role: "status" });
  const link = element("a", { className: "resource" }, label);
  // Another address would lead away, or be a script.
  if (!file.uri.startsWith(SCHEME)) return element("span", {}, label);
  link.href = file.uri;
  // A new tab of the browser's knows no such address.
  link.onauxclick = (event) => event.preventDefault();
  let isBusy = false;
  link.onclick = async (event) => {
    event.preventDefault();
    if (isBusy) return;
    isBusy = true;
    const tell = (text: string) => said.textContent = text && ` · ${text}`;
    try {
      await download(
        mcp,
        file,
        (share) => tell(`${Math.round(share * 100)} %`),
      );
      tell("");
    } catch (error) {
      tell(Object(error).message);
    }
    isBusy = false;
  };
  return element("span", {}, link, said);
}

/** A note of the server's, whose addresses of resources are links. */
export function noteWithLinks(
  mcp: Pick<McpClient, "read">,
  text: string,
): HTMLElement {
  const made = note("");
  const parts = text.split(/(run-python:\/\/[^\s;,]+)/);
  made.append(...parts.map((part) => {
    if (!part.startsWith(SCHEME)) return part;
    const path = part.slice(part.lastIndexOf("/") + 1);
    return resourceLink(mcp, { path, uri: part }, part);
  }));
  return made;
}
