/// <reference lib="dom" />
import { element, find, table } from "./elements.ts";
import { type Fields, fieldsOf } from "./mcp_client.ts";

const COMPONENT = "mcp-run-python/component";

/** Lists the components of the server, their functions, and what they may use. */
export function showComponents(tools: readonly Fields[]): void {
  const ofComponents = tools.flatMap((tool) => {
    const component = fieldsOf(fieldsOf(tool._meta)[COMPONENT]);
    return component.name === undefined ? [] : [{ tool, component }];
  });
  const card = find("components-card", HTMLElement);
  card.hidden = ofComponents.length === 0;
  const byName = Map.groupBy(ofComponents, ({ component }) => component.name);
  const rows = [...byName.values()].map((all) => {
    const { name, grants = "nothing" } = all[0]?.component ?? {};
    const names = all.map(({ tool }) => String(tool.name)).join(", ");
    return [element("code", {}, String(name)), names, String(grants)];
  });
  find("components", HTMLElement).replaceChildren(
    table(["Component", "Tools", "May use"], rows),
  );
}
