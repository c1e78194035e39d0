/** `Promise.withResolvers()`, which Node 20 lacks: the library runs there, too. */
export function deferred<T>(): PromiseWithResolvers<T> {
  let resolvers: Omit<PromiseWithResolvers<T>, "promise"> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    resolvers = { resolve, reject };
  });
  // A promise calls its executor at once.
  return { promise, ...resolvers! };
}
