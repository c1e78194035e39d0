import frame from "../../../../frames/frame.html" with { type: "text" };
import icon from "../../../../page/icon.svg" with { type: "text" };
import html from "../../../../page/index.html" with { type: "text" };
import css from "../../../../page/page.css" with { type: "text" };
import script from "../../../../page/bundle/page.js" with { type: "text" };
import { sha256 } from "../../../../disk.ts";
import type { HttpSettings } from "../../../../protocol/server_settings.ts";
import type { Routes } from "../handler.ts";

/**
 * The page shows data of hostile code. Its script makes elements and texts,
 * and a browser refuses it markup, inline scripts and other origins.
 */
const HEADERS = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "media-src data:",
    "frame-src 'self'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  // A browser asks whether the file is still the same.
  "cache-control": "no-cache",
};

/**
 * The frame that HTML of Python is shown in: of no origin, also if a person
 * opens it, and without any connection. Its document has the rest of the policy.
 */
const FRAME_HEADERS = {
  ...HEADERS,
  "content-security-policy": "sandbox allow-scripts; frame-ancestors 'self'",
  // No other policy of browsers covers look-ups of names, and WebRTC.
  "connection-allowlist": "()",
};

/** The files of the page, unless it is turned off. */
export function pageRoutes(
  { httpPath, web }: Pick<HttpSettings, "httpPath" | "web">,
): Routes["open"] {
  if (!web) return {};
  const page = html.replace("{mcp}", () => escapeValue(httpPath.slice(1)));
  return {
    "/": toRoute("text/html; charset=utf-8", page),
    "/page.js": toRoute("text/javascript; charset=utf-8", script),
    "/page.css": toRoute("text/css; charset=utf-8", css),
    "/icon.svg": toRoute("image/svg+xml", icon),
    "/frame": toRoute("text/html; charset=utf-8", frame, FRAME_HEADERS),
  };
}

function toRoute(type: string, text: string, own = HEADERS) {
  const body = new TextEncoder().encode(text);
  const etag = `"${sha256(body)}"`;
  const sent = { ...own, "content-type": type, etag };
  return ({ method, headers }: Request) =>
    headers.get("if-none-match") === etag
      ? new Response(null, { status: 304, headers: sent })
      : new Response(method === "HEAD" ? null : toStream(body), {
        headers: sent,
      });
}

/** A response has a copy of bytes that it is given otherwise. */
function toStream(bytes: Uint8Array<ArrayBuffer>): ReadableStream {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}

/** A path is the user's, and may have any character. */
function escapeValue(text: string): string {
  return text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
}
