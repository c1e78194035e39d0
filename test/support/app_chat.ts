import { assertEquals } from "../../deps/assert.ts";
import {
  type AppHost,
  type Chat,
  type OpenOptions,
  startAppHost,
} from "./app_host.ts";
import { Browser, type Page } from "./browser.ts";
import { CHROMIUM, TEXT } from "./page.ts";
import { share } from "./share.ts";

/** Starts a chat and a browser for the tests of a file, each with an app of its own. */
export function shareApp(): {
  shared(): Promise<{ host: AppHost; browser: Browser }>;
  testApp(
    name: string,
    fn: (chat: Chat) => Promise<void>,
    options?: OpenOptions,
  ): void;
  ended(app: Page, status?: string): Promise<void>;
} {
  const shared = share(async () => {
    const stack = new AsyncDisposableStack();
    const host = stack.use(await startAppHost());
    const browser = stack.use(await Browser.start(CHROMIUM ?? ""));
    return {
      ...{ host, browser },
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  });
  return {
    shared,
    testApp: (name, fn, options = {}) =>
      Deno.test({
        name,
        ignore: CHROMIUM === undefined,
        async fn() {
          const { host, browser } = await shared();
          const chat = await host.open(browser, options);
          await fn(chat);
          assertEquals(complaintsOf(chat).join("\n"), "");
        },
      }),
    ended: (app, status = "Success") =>
      app.until(`${TEXT("#status")} === "${status}"`),
  };
}

/** All but the official packages' own log, and their word on this chat's own answers. */
function complaintsOf({ tab }: Chat): string[] {
  return tab.complaints.filter((text) =>
    !/^\{"type":"debug"|oncalltool handler replaced/.test(text)
  );
}
