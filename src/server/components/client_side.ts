import type { Server } from "../../../deps/mcp_server.ts";
import { messageOf } from "../../errors.ts";
import { DownstreamError } from "../code_mode/hub.ts";
import { head } from "../../results/cut.ts";
import { invalidParams } from "../error_codes.ts";
import type { Owner } from "../sessions/kept_session.ts";
import type { Asker } from "./component_offers.ts";
import type { Components } from "./components.ts";

/** Serves the prompts of components, and passes a client's notifications on to them. */
export function serveClientSide(
  server: Server,
  { offers }: Components,
  { name: caller }: Owner,
): void {
  server.setRequestHandler(
    "prompts/list",
    async (_, { mcpReq: { signal } }) => ({
      prompts: (await offers.prompts({ caller, signal }))
        .map((prompt) => ({ ...prompt, name: `${prompt.name}` })),
    }),
  );
  server.setRequestHandler("prompts/get", ({ params: { name } }) => {
    throw invalidParams(
      `Cannot get the prompt "${
        head(name, 100)
      }": the components of this server list their prompts, and cannot give them`,
    );
  });
  server.fallbackNotificationHandler = async ({ method, params }) => {
    await offers.notify(method, params, caller);
  };
}

/**
 * Reads a resource of a component; undefined if no component has it.
 *
 * @throws {ProtocolError} If the component refuses to read it.
 */
export async function readOfComponent(
  uri: string,
  { offers }: Components,
  asker: Asker,
) {
  try {
    const contents = await offers.maybeRead(uri, asker);
    return contents?.map(({ uri: its, mimeType, text, blob }) => ({
      uri: `${its}`,
      ...(typeof mimeType === "string" ? { mimeType } : {}),
      ...typeof blob === "string" ? { blob } : { text: `${text ?? ""}` },
    }));
  } catch (error) {
    if (!(error instanceof DownstreamError)) throw error;
    throw invalidParams(messageOf(error));
  }
}
