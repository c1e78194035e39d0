/**
 * HTML of Python that attacks: wherever it is shown, nothing of this may work.
 *
 * @module
 */

const SCRIPT = await Deno.readTextFile(
  new URL("frame_attacks.js", import.meta.url),
);

/** Where a request that comes through is seen. */
export interface Outside {
  /** An origin of HTTP. */
  url: string;
  /** A port of TCP and one of UDP, for what speaks another protocol. */
  tcp: number;
  udp: number;
}

/** The message that the attacking page sends to the top, again and again. */
export interface Outcomes {
  /** The name of the error, or `done`, by the attack. */
  outcomes: Record<string, string>;
  isDone: boolean;
}

/** Outcomes of attacks that a browser refuses by an error. */
export const REFUSED: Readonly<Record<string, string>> = {
  ...{ parentDocument: "SecurityError", topDocument: "SecurityError" },
  ...{ topLocation: "SecurityError", opener: "TypeError" },
  ...{ cookie: "SecurityError", localStorage: "SecurityError" },
  ...{ sessionStorage: "SecurityError", indexedDB: "SecurityError" },
  ...{ caches: "SecurityError", navigateTop: "SecurityError" },
  ...{ navigateParent: "SecurityError", popUp: "TypeError" },
  ...{ fetch: "TypeError", xhr: "error", socket: "error", events: "error" },
  ...{ import: "TypeError", worker: "error", sharedWorker: "SecurityError" },
  ...{ script: "error", img: "error", video: "error" },
  ...{ frame: "violation", object: "violation" },
  ...{ linkBySafeMarkup: "TypeError" },
  ...{ linkByDocument: "TypeError", linkByStyleSheet: "ReferenceError" },
  ...{ linkByClass: "TypeError", webRtc: "ReferenceError" },
  ...{ child: "SecurityError" },
};

/** A page that tries all that leaves the page in its place. */
export function attackPage(outside: Outside): string {
  return `<!doctype html><html><head><base href="${outside.url}/base/">
<meta http-equiv="Content-Security-Policy" content="default-src * data: blob: 'unsafe-inline' 'unsafe-eval'">
<meta http-equiv="x-dns-prefetch-control" content="on">
<link rel="preconnect" href="http://127.0.0.1:${outside.tcp}">
<link rel="dns-prefetch" href="http://127.0.0.1:${outside.tcp}">
<link rel="stylesheet" href="${outside.url}/markup-style">
<link rel="icon" href="${outside.url}/markup-icon">
<link rel="manifest" href="${outside.url}/markup-manifest">
<style>
  @import "${outside.url}/css-import";
  @font-face { font-family: far; src: url(${outside.url}/css-font) }
  body { background: url(${outside.url}/css-url); font-family: far }
</style>
<script type="speculationrules">
  {"prefetch": [{"source": "list", "urls": ["${outside.url}/speculation"]}]}
</script></head>
<body background="${outside.url}/background">"></iframe></script><p>text
<img src="${outside.url}/markup-img"><img src="relative">
<iframe src="${outside.url}/markup-frame"></iframe>
<iframe src="data:text/html,<script>top.postMessage('data frame','*')</script>"></iframe>
<iframe SrcDoc="<script>top.postMessage('nested','*')</script>"></iframe>
<embed src="${outside.url}/markup-embed">
<video poster="${outside.url}/poster"></video>
<input type="image" src="${outside.url}/input">
<svg><use href="${outside.url}/use#a"/><feImage href="${outside.url}/fe"/></svg>
<script>const outside = ${JSON.stringify(outside)};
${SCRIPT}</script>
<script>
  document.write("<li");
  document.write('nk rel="preconnect" href="http://127.0.0.1:${outside.tcp}">');
</script>
<div style="height: 1000000000px"></div></body></html>`;
}

/** Pages that try to go elsewhere, or take their frame there; by the path outside. */
export function leavingPages({ url }: Outside): Record<string, string> {
  const pages: Record<string, (to: string) => string> = {
    location: (to) => `<script>location = "${to}"</script>`,
    refresh: (to) => `<meta http-equiv="refresh" content="0;url=${to}">`,
    anchor: (to) =>
      `<a href="${to}" ping="${to}">a</a>
      <script>document.querySelector("a").click()</script>`,
  };
  return Object.fromEntries(
    Object.entries(pages).map(([name, page]) => [name, page(`${url}/${name}`)]),
  );
}

/** A page that never ends its script, once it has said that it runs. */
export const ENDLESS = `<script>
  // A frame that is being loaded keeps what is around it being loaded.
  onload = () => {
    top.postMessage("endless", "*");
    // A message leaves when a task ends.
    setTimeout(() => { for (;;); });
  };
</script>`;
