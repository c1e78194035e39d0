/**
 * Opens what the tests of a file share when the first of them asks for it; it is
 * closed after the last one.
 */
export function share<T extends AsyncDisposable>(
  open: () => Promise<T>,
): () => Promise<T> {
  let opened: Promise<T> | undefined;
  Deno.test.afterAll(async () => await (await opened)?.[Symbol.asyncDispose]());
  return () => opened ??= open();
}
