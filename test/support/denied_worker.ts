// Gives up what is not its guest's, and says what is left.
addEventListener("message", (event) => {
  const { ownReads, paths, port } = Reflect.get(event, "data");
  for (const path of ownReads) {
    Deno.permissions.revokeSync({ name: "read", path });
  }
  const stateOf = (name: "read" | "write", path: string) =>
    Deno.permissions.querySync({ name, path }).state;
  port.postMessage(Object.fromEntries(
    paths.map((path: string) => [
      path,
      [stateOf("read", path), stateOf("write", path)],
    ]),
  ));
});
