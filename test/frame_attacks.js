// The script of the page in frame_attacks.ts, which has `outside` before it.
const { url, tcp, udp } = outside;
const outcomes = {};
let isDone = false;
setInterval(() => top.postMessage({ outcomes, isDone }, "*"), 20);

// Scripts of a document that is not guarded; without quotes, for attributes.
const tell = "top.postMessage(/nested/.source,String.fromCharCode(42))";
const nested = `<script>${tell}</${"script"}>`;
const methods = [
  "tools/call",
  "ui/initialize",
  "ui/message",
  "ui/open-link",
  "ui/notifications/size-changed",
];
const calls = [
  nested,
  { html: nested },
  ...methods.map((method) => ({
    jsonrpc: "2.0",
    id: 1,
    method,
    params: {
      name: "run_python_code",
      arguments: { python_code: "1" },
      url: `${url}/open-link`,
      width: 1e9,
      height: 1e9,
    },
  })),
];
for (const target of [parent, parent.parent, top]) {
  for (const call of calls) {
    target.postMessage(call, "*");
    target.postMessage(JSON.stringify(call), "*");
  }
}

const to = (path) => `${url}/${path}`;
const events = (one) =>
  new Promise((resolve, reject) => {
    for (const name of ["load", "loadeddata", "open", "message"]) {
      one[`on${name}`] = resolve;
    }
    one.onerror = () => reject({ name: "error" });
  });
const make = (name, properties = {}) => {
  const one = Object.assign(document.createElement(name), properties);
  document.body.append(one);
  return one;
};
const violation = (use) =>
  new Promise((_, reject) => {
    const listener = () => reject({ name: "violation" });
    addEventListener("securitypolicyviolation", listener);
    use();
  });

const HTML = "http://www.w3.org/1999/xhtml";
const near = `http://127.0.0.1:${tcp}`;
// Written so that no replacement of text finds the names.
const doc = "src" + "doc";
const link = `<${"link"} rel=preconnect href=${near}>`;
const connect = (one) => {
  one.setAttribute("rel", "preconnect");
  one.setAttribute("href", near);
  document.body.append(one);
};
const parse = (xml) => new DOMParser().parseFromString(xml, "text/xml");
/** An entity may write the name of an element by numbers. */
const fromEntity = (text) => {
  const xml = `<!DOCTYPE a [<!ENTITY b "${text}">]><a>&b;</a>`;
  document.body.append(...parse(xml).documentElement.childNodes);
};
const fromStyleSheet = (text) => {
  const processor = new XSLTProcessor();
  processor.importStylesheet(parse(
    `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
      <xsl:template match="/">${text}</xsl:template></xsl:stylesheet>`,
  ));
  const made = processor.transformToFragment(parse("<a/>"), document);
  document.body.append(made);
};
const peer = `
  const peer = new RTCPeerConnection({ iceServers: [
    { urls: "stun:127.0.0.1:${udp}" },
    {
      urls: "turn:127.0.0.1:${tcp}?transport=tcp",
      username: "a",
      credential: "b",
    },
  ] });
  peer.createDataChannel("a");
  peer.createOffer().then((offer) => peer.setLocalDescription(offer));`;

const ways = {
  parentDocument: () => parent.document.body,
  topDocument: () => top.document.body,
  topLocation: () => top.location.href,
  opener: () => opener.document,
  cookie: () => document.cookie,
  localStorage: () => localStorage.length,
  sessionStorage: () => sessionStorage.length,
  indexedDB: () => indexedDB.open("a"),
  caches: () => caches.open("a"),
  navigateTop: () => {
    top.location = to("top");
  },
  navigateParent: () => {
    parent.location = to("parent");
  },
  popUp: () => open(to("pop-up")).closed,
  blank: () => make("a", { href: to("blank"), target: "_blank" }).click(),
  topAnchor: () => make("a", { href: to("anchor"), target: "_top" }).click(),
  form: () => make("form", { action: to("form") }).submit(),
  topForm: () => make("form", { action: to("form"), target: "_top" }).submit(),
  blankForm: () =>
    make("form", { action: to("form"), target: "_blank" }).submit(),
  download: () =>
    make("a", { href: "data:text/plain,a", download: "a.txt" }).click(),
  blobDownload: () => {
    const href = URL.createObjectURL(new Blob(["a"]));
    make("a", { href, download: "b.txt" }).click();
  },
  alert: () => alert("attack"),
  confirm: () => {
    if (confirm("attack")) throw { name: "confirmed" };
  },
  print: () => print(),
  fullScreen: () => {
    if (document.fullscreenEnabled) throw { name: "enabled" };
  },
  features: () => {
    const names = [
      ...["camera", "microphone", "geolocation", "clipboard-read", "usb"],
      ...["midi", "payment", "display-capture", "serial", "hid"],
    ].filter((name) => document.featurePolicy?.allowsFeature(name));
    if (names.length > 0) throw { name: names.join() };
  },
  beacon: () => {
    navigator.sendBeacon(to("beacon"), "a");
  },
  fetch: () => fetch(to("fetch"), { mode: "no-cors", keepalive: true }),
  xhr: () => {
    const one = new XMLHttpRequest();
    one.open("GET", to("xhr"));
    one.send();
    return events(one);
  },
  socket: () => events(new WebSocket(to("socket").replace("http", "ws"))),
  events: () => events(new EventSource(to("events"))),
  import: () => import(to("import")),
  worker: () => {
    const blob = new Blob(["postMessage(1)"]);
    return events(new Worker(URL.createObjectURL(blob)));
  },
  sharedWorker: () => events(new SharedWorker("data:text/javascript,1")),
  script: () => events(make("script", { src: to("script") })),
  img: () => events(make("img", { src: to("img") })),
  video: () => events(make("video", { src: to("video") })),
  frame: () => violation(() => make("iframe", { src: to("frame") })),
  object: () => violation(() => make("object", { data: to("object") })),
  links() {
    const rels = ["stylesheet", "prefetch", "preload", "modulepreload", "icon"];
    for (const rel of rels) make("link", { rel, href: to(rel), as: "image" });
  },
  link: () => connect(make("LINK")),
  linkByNamespace: () => connect(document.createElementNS(HTML, "a:link")),
  linkByMarkup: () => {
    make("div").innerHTML = link;
  },
  linkBySafeMarkup() {
    const sanitizer = { elements: ["link"], attributes: ["rel", "href"] };
    make("div").setHTML(link, { sanitizer });
  },
  linkByDocument() {
    const other = document.implementation.createDocument(HTML, "link");
    connect(other.documentElement);
  },
  linkByClass() {
    class Own extends HTMLLinkElement {}
    customElements.define("own-link", Own, { extends: "link" });
    connect(new Own());
  },
  linkByEntity: () =>
    fromEntity(
      `<x:&#38;#108;ink xmlns:x='${HTML}' rel='preconnect' href='${near}'/>`
        .replace("&#38;#108;", "&#108;"),
    ),
  linkByStyleSheet: () =>
    fromStyleSheet(
      `<xsl:element name="{'li'}nk" namespace="${HTML}">
        <xsl:attribute name="rel">preconnect</xsl:attribute>
        <xsl:attribute name="href">${near}</xsl:attribute></xsl:element>`,
    ),
  nested: () => {
    make("iframe", { [doc]: nested });
  },
  nestedByAttribute: () => make("iframe").setAttribute(doc, nested),
  nestedByNode() {
    const node = document.createAttribute(doc);
    node.value = nested;
    make("iframe").setAttributeNode(node);
  },
  nestedByMarkup: () =>
    make("div").insertAdjacentHTML(
      "beforeend",
      `<iframe ${doc.toUpperCase()}="${nested}"></iframe>`,
    ),
  nestedByEntity: () =>
    fromEntity(
      `<x:iframe xmlns:x='${HTML}' &#115;rcdoc='${
        nested.replaceAll("<", "&#38;lt;")
      }'/>`,
    ),
  nestedByAddress: () => {
    make("iframe", { src: `javascript:${tell}` });
  },
  nestedByText: () => {
    make("iframe", { src: `javascript:"${nested}"` });
  },
  nestedInPlace: () => {
    location.href = `javascript:"${nested}"`;
  },
  child: () => make("iframe").contentWindow.RTCPeerConnection,
  // With what the guard calls replaced.
  linkOverReplaced() {
    RegExp.prototype.exec = () => null;
    Function.prototype.call = () => null;
    Reflect.apply = () => null;
    Array.prototype[Symbol.iterator] = function* () {};
    connect(make("link"));
    make("div").innerHTML = link;
    make("iframe", { [doc]: nested });
  },
  webRtc: () => eval(peer),
};

(async () => {
  for (const name of Object.keys(ways)) {
    outcomes[name] = "waits";
    try {
      await ways[name]();
      outcomes[name] = "done";
    } catch (error) {
      outcomes[name] = error.name;
    }
  }
  // What was begun above has its end before that of a request.
  await new Promise((resolve) =>
    make("img", { src: "data:,", onerror: resolve })
  );
  isDone = true;
})();
