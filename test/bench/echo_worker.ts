/**
 * Baseline: a worker without anything in it, that answers once.
 *
 * @module
 */
addEventListener("message", (event) => {
  const reply: (data: unknown) => void = Reflect.get(self, "postMessage");
  reply(Reflect.get(event, "data"));
});
