import { maybeStartServer } from "./src/launcher/start_server.ts";

if (import.meta.main) {
  // It gets ready while the rest of this program is loaded.
  const server = maybeStartServer(Deno.args);
  const { main } = await import("./src/cli/main.ts");
  Deno.exit(await main(Deno.args, server));
}
