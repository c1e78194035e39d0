/** Longer than a page takes for anything on a busy machine. */
const NEVER_MS = 300_000;

const NAMES = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/** Path of a Chromium: `CHROME`, or one of the system; undefined without one. */
export function maybeChromium(): string | undefined {
  const folders = (Deno.env.get("PATH") ?? "").split(":");
  const paths = folders.flatMap((folder) =>
    NAMES.map((name) => `${folder}/${name}`)
  );
  const isFile = (path: string) => {
    try {
      return Deno.statSync(path).isFile;
    } catch {
      return false;
    }
  };
  return Deno.env.get("CHROME") ?? paths.find(isFile);
}

interface Message {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { message: string };
}

/** A real headless Chromium, through its DevTools protocol. */
export class Browser implements AsyncDisposable {
  #last = 0;
  #asked = new Map<number, (message: Message) => void>();
  #listeners = new Set<(message: Message) => void>();

  private constructor(
    private process: Deno.ChildProcess,
    private socket: WebSocket,
    /** Its profile; downloads, too. */
    readonly folder: string,
  ) {
    socket.onmessage = ({ data }) => {
      const message: Message = JSON.parse(data);
      if (message.id !== undefined) this.#asked.get(message.id)?.(message);
      else for (const listener of this.#listeners) listener(message);
    };
  }

  static async start(path: string): Promise<Browser> {
    const folder = await Deno.makeTempDir();
    const process = new Deno.Command(path, {
      args: [
        ...["--headless=new", "--remote-debugging-port=0", "--no-sandbox"],
        ...["--no-first-run", "--disable-gpu", "--disable-dev-shm-usage"],
        ...["--hide-scrollbars", "--disable-popup-blocking"],
        `--user-data-dir=${folder}/profile`,
      ],
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const socket = new WebSocket(await readAddress(process.stderr));
    await new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = reject;
    });
    return new Browser(process, socket, folder);
  }

  async send(
    method: string,
    params: Record<string, unknown> = {},
    sessionId?: string,
  ): Promise<Record<string, unknown>> {
    const id = ++this.#last;
    const { promise, resolve } = Promise.withResolvers<Message>();
    this.#asked.set(id, resolve);
    this.socket.send(JSON.stringify({
      ...{ id, method, params },
      ...(sessionId ? { sessionId } : {}),
    }));
    const { result, error } = await promise;
    this.#asked.delete(id);
    if (error) throw new Error(`${method}: ${error.message}`);
    return result ?? {};
  }

  /**
   * Opens a tab with a profile of its own.
   *
   * @param options.isPrivate False for the profile of the browser, whose pages
   * may have it connect before there is a request.
   */
  async open(
    url: URL,
    media: Record<string, string> = {},
    { isPrivate = true } = {},
  ): Promise<Tab> {
    const context = isPrivate
      ? await this.send("Target.createBrowserContext")
      : {};
    const { targetId } = await this.send("Target.createTarget", {
      ...{ url: "about:blank", ...context },
    });
    const { sessionId } = await this.send("Target.attachToTarget", {
      ...{ targetId, flatten: true },
    });
    await this.send("Browser.setDownloadBehavior", {
      ...{ behavior: "allow", ...context, downloadPath: this.folder },
      eventsEnabled: true,
    });
    const tab = new Tab(this, String(sessionId), this.#listeners);
    for (const domain of ["Page", "Runtime", "Log", "DOM"]) {
      await tab.send(`${domain}.enable`);
    }
    const features = Object.entries(media)
      .map(([name, value]) => ({ name, value }));
    await tab.send("Emulation.setEmulatedMedia", { features });
    await tab.go(url);
    return tab;
  }

  /** The newest frame that has a process of its own, once there is one. */
  async frameApart(): Promise<Tab> {
    for (;;) {
      const { targetInfos } = await this.send("Target.getTargets");
      const targets = Object.values(Object(targetInfos)).map(Object);
      const targetId = targets.find(({ type }) => type === "iframe")?.targetId;
      if (targetId === undefined) continue;
      const { sessionId } = await this.send("Target.attachToTarget", {
        ...{ targetId, flatten: true },
      });
      return new Tab(this, String(sessionId), this.#listeners);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.send("Browser.close").catch(() => {});
    this.socket.close();
    await this.process.status;
    await Deno.remove(this.folder, { recursive: true });
  }
}

/** A document of a browser. */
export abstract class Page {
  abstract evaluate(
    params: Record<string, unknown>,
  ): Promise<Record<string, unknown>>;

  /** The value of JavaScript in the page. */
  async eval(expression: string): Promise<unknown> {
    const { result, exceptionDetails } = await this.evaluate({
      ...{ expression, awaitPromise: true, returnByValue: true },
    });
    if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
    return Object(result).value;
  }

  /** Waits until JavaScript is true of the page; fails long after that is likely. */
  async until(condition: string): Promise<void> {
    const isTrue = await this.eval(`new Promise((resolve) => {
      const end = Date.now() + ${NEVER_MS};
      const look = () => {
        let value;
        try { value = (${condition}); } catch {}
        if (value || Date.now() > end) resolve(Boolean(value));
        else setTimeout(look, 20);
      };
      look();
    })`);
    if (isTrue) return;
    const text = await this.eval("document.body.innerText");
    throw new Error(`The page never has ${condition}: ${text}`);
  }

  async click(selector: string): Promise<void> {
    const found = `document.querySelector(${JSON.stringify(selector)})`;
    await this.until(`${found} && !${found}.disabled`);
    await this.eval(`${found}.click()`);
  }
}

/** A frame of a tab. */
class FramePage extends Page {
  constructor(override readonly evaluate: Page["evaluate"]) {
    super();
  }
}

/** A tab of a browser. */
export class Tab extends Page {
  /** All that the page's console says, violations of its policy included. */
  readonly complaints: string[] = [];
  #downloads = Promise.withResolvers<void>();
  /** Its own, and those of frames in other processes. */
  #sessions = new Set<string>();

  constructor(
    private browser: Browser,
    private sessionId: string,
    private listeners: Set<(message: Message) => void>,
  ) {
    super();
    this.#sessions.add(sessionId);
    listeners.add(({ sessionId, method = "", params = {} }) => {
      const isDone = method === "Browser.downloadProgress" &&
        params.state === "completed";
      if (isDone) this.#downloads.resolve();
      if (!this.#sessions.has(sessionId ?? "")) return;
      if (method === "Target.attachedToTarget") {
        void this.#hear(String(params.sessionId)).catch(() => {});
      }
      const isComplaint = method === "Log.entryAdded" ||
        method === "Runtime.exceptionThrown" ||
        method === "Runtime.consoleAPICalled" ||
        method === "Page.javascriptDialogOpening";
      if (isComplaint) this.complaints.push(JSON.stringify(params));
    });
  }

  send(method: string, params: Record<string, unknown> = {}) {
    return this.browser.send(method, params, this.sessionId);
  }

  /** Has the frames of other processes complain, too. */
  hearFrames(): Promise<void> {
    return this.#hear(this.sessionId);
  }

  async #hear(session: string): Promise<void> {
    this.#sessions.add(session);
    await this.browser.send("Log.enable", {}, session);
    await this.browser.send("Target.setAutoAttach", {
      ...{ autoAttach: true, waitForDebuggerOnStart: false, flatten: true },
    }, session);
  }

  async go(url: URL): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const listener = ({ sessionId, method }: Message) => {
      const isMine = sessionId === this.sessionId;
      if (isMine && method === "Page.loadEventFired") resolve();
    };
    this.listeners.add(listener);
    await this.send("Page.navigate", { url: url.href });
    await promise;
    this.listeners.delete(listener);
  }

  override evaluate(params: Record<string, unknown>) {
    return this.send("Runtime.evaluate", params);
  }

  /**
   * The document of a frame, by its place in those around it, once it is there; of
   * this process alone.
   */
  async frame(...path: number[]): Promise<Page> {
    let id: string | undefined;
    while (id === undefined) {
      const { frameTree } = await this.send("Page.getFrameTree");
      let tree = Object(frameTree);
      for (const at of path) tree = Object(tree.childFrames?.[at]);
      id = tree.frame?.id;
    }
    const { executionContextId: contextId } = await this.send(
      ...["Page.createIsolatedWorld", { frameId: id }] as const,
    );
    return new FramePage((params) => this.evaluate({ ...params, contextId }));
  }

  /** Presses a key, with `Control` or `Shift` held if asked for. */
  async press(
    key: string,
    { control = false, shift = false } = {},
  ): Promise<void> {
    const codes: Record<string, number> = { Enter: 13, Tab: 9, Escape: 27 };
    const code = codes[key] ?? key.toUpperCase().charCodeAt(0);
    const text = key === "Enter" ? "\r" : key.length === 1 ? key : undefined;
    const params = {
      ...{
        key,
        windowsVirtualKeyCode: code,
        modifiers: control ? 2 : shift ? 8 : 0,
      },
      ...(text === undefined || control ? {} : { text }),
    };
    await this.send("Input.dispatchKeyEvent", { type: "keyDown", ...params });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...params });
  }

  /** Puts files into an input, as a person who chooses them. */
  async choose(selector: string, files: string[]): Promise<void> {
    const { root } = await this.send("DOM.getDocument");
    const { nodeId } = await this.send("DOM.querySelector", {
      ...{ nodeId: Object(root).nodeId, selector },
    });
    await this.send("DOM.setFileInputFiles", { nodeId, files });
  }

  /** Resolves once the browser has saved a file. */
  async downloaded(): Promise<void> {
    await this.#downloads.promise;
    this.#downloads = Promise.withResolvers();
  }

  async resize(width: number, height: number, scale = 1): Promise<void> {
    await this.send("Emulation.setDeviceMetricsOverride", {
      ...{ width, height, deviceScaleFactor: scale, mobile: false },
    });
  }

  async screenshot(): Promise<Uint8Array<ArrayBuffer>> {
    const { data } = await this.send("Page.captureScreenshot");
    return Uint8Array.fromBase64(String(data));
  }
}

/** Reads on to the end, so that the browser can write. */
async function readAddress(
  stderr: ReadableStream<Uint8Array<ArrayBuffer>>,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const read = async () => {
    let text = "";
    for await (const piece of stderr.pipeThrough(new TextDecoderStream())) {
      text += piece;
      const [, address] = /listening on (ws:\S+)/.exec(text) ?? [];
      if (address !== undefined) resolve(address);
    }
    reject(new Error(`The browser did not start: ${text}`));
  };
  read().catch(reject);
  return await promise;
}
