/// <reference lib="dom" />
import { save } from "./downloads.ts";
import { element } from "./elements.ts";

/** A picture that a reader makes larger and smaller, and saves. */
export function showPicture(src: string, alt: string): HTMLElement {
  const image = element("img", { src, alt });
  const zoom = element("button", {
    className: "picture",
    type: "button",
    title: "Its own size, or the room's",
    ariaLabel: `${alt}: its own size`,
    ariaPressed: "false",
    onclick() {
      const isZoomed = figure.classList.toggle("zoomed");
      zoom.ariaPressed = `${isZoomed}`;
    },
  }, image);
  const figure = element("figure", {}, zoom);
  const [, type = "png"] = /^data:image\/(\w+)/.exec(src) ?? [];
  const button = element("button", {
    className: "csv",
    type: "button",
    textContent: "Save",
    ariaLabel: `Save ${alt}`,
    onclick: () => save(`${alt}.${type}`, [toBytes(src)]),
  });
  return element("div", { className: "pictured" }, figure, button);
}

/** A policy may refuse to `fetch()` the address. */
function toBytes(src: string): Uint8Array<ArrayBuffer> {
  const data = src.slice(src.indexOf(",") + 1);
  return src.includes(";base64,")
    ? Uint8Array.fromBase64(data)
    : new TextEncoder().encode(decodeURIComponent(data));
}
