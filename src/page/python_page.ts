/// <reference lib="dom" />
import { toFramedPage } from "../frames/to_framed_page.ts";
import { element, formatBytes, note } from "./elements.ts";
import type { Fields, McpClient } from "./mcp_client.ts";
import { readText } from "./read_text.ts";

/**
 * HTML that Python showed, in a frame that keeps it in. It is read and runs
 * once a person is about to see its place.
 *
 * @param page As the structured result has it.
 * @param options.isInApp Whether this page's policy lets the scripts of a frame run.
 */
export function pythonPage(
  mcp: Pick<McpClient, "read">,
  { uri, title, about, size }: Fields,
  { isInApp = false }: { isInApp?: boolean } = {},
): HTMLElement {
  const name = String(title || about || "Page");
  const frame = element("iframe", { title: name, loading: "lazy" });
  frame.setAttribute("sandbox", "allow-scripts");
  // A frame without an address of its own would have the policy of this page.
  if (!isInApp) frame.src = "frame";
  const place = element("div", { className: "framed" }, frame);
  const show = async () => {
    try {
      const html = await readText(mcp, String(uri));
      const framed = toFramedPage(html, { title: name });
      if (isInApp) {
        frame.srcdoc = framed;
        return;
      }
      // The frame has no origin to name; nothing of Python's runs in it yet.
      frame.contentWindow?.postMessage(framed, "*");
    } catch (error) {
      place.replaceChildren(note(Object(error).message));
    }
  };
  frame.addEventListener("load", () => void show(), { once: true });
  const figure = element("figure", { className: "page" });
  figure.append(
    element(
      "figcaption",
      { className: "row" },
      element(
        "span",
        { className: "quiet" },
        `${name} · ${formatBytes(Number(size))}`,
      ),
      ...document.fullscreenEnabled
        ? [element("button", {
          className: "plain",
          type: "button",
          textContent: "Full screen",
          onclick: () => void toggleFullScreen(figure),
        })]
        : [],
    ),
    place,
  );
  return figure;
}

/** The caption stays in view, and says whose page it is. */
function toggleFullScreen(figure: HTMLElement): Promise<void> {
  return document.fullscreenElement
    ? document.exitFullscreen()
    : figure.requestFullscreen();
}
