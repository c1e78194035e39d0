import type { IndexedServer } from "../../src/catalog/tool_index.ts";
import type { DownstreamTool } from "../../src/protocol/downstream.ts";

const SERVERS = [
  ["github", "Repositories, issues and pull requests of GitHub"],
  ["gitlab", "Projects and merge requests of GitLab"],
  ["jira", "Issues and sprints of Jira"],
  ["slack", "Channels and messages of Slack"],
  ["postgres", "Tables of a PostgreSQL database"],
  ["stripe", "Payments, customers and invoices"],
  ["drive", "Files and folders in the cloud"],
  ["calendar", "Events and invitations"],
  ["mail", "Letters, drafts and labels"],
  ["crm", "Contacts, companies and deals"],
  ["kubernetes", "Pods, deployments and logs of a cluster"],
  ["grafana", "Dashboards, alerts and metrics"],
  ["notion", "Pages and databases of notes"],
  ["figma", "Drawings and components"],
  ["shop", "Products, orders and stock"],
  ["weather", "Forecasts and measurements"],
  ["maps", "Places, routes and distances"],
  ["browser", "Pages that are opened and clicked"],
  ["sentry", "Errors and releases"],
  ["wiki", "Articles and their revisions"],
] as const;
const VERBS = [
  ["get", "Returns", "in full, with its links and its history"],
  ["list", "Lists", "page by page, newest first"],
  ["create", "Creates", "and returns its identifier"],
  ["update", "Changes", "and keeps fields that are not given"],
  ["delete", "Deletes", "for good; there is no way back"],
  ["search", "Searches", "by words, ranked by relevance"],
  ["archive", "Archives", "so that lists leave it out"],
  ["export", "Exports", "as CSV or JSON"],
  ["share", "Shares", "with people or groups"],
  ["count", "Counts", "by state and by day"],
] as const;
const NOUNS = [
  ["issue", "labels", "assignee"],
  ["pull_request", "branch", "reviewers"],
  ["comment", "body", "author"],
  ["file", "path", "encoding"],
  ["user", "email", "role"],
  ["report", "start_date", "end_date"],
  ["project", "owner", "visibility"],
  ["message", "channel", "thread"],
  ["invoice", "currency", "amount"],
  ["event", "time_zone", "attendees"],
] as const;

/** 20 servers of 100 tools, whose names and descriptions are as those of real ones. */
export function makeManyTools(): IndexedServer[] {
  return SERVERS.map(([name, description], number) => ({
    name,
    description,
    tools: VERBS.flatMap(([verb, does, how]) =>
      NOUNS.map(([noun, ...keys]) => {
        const words = noun.replaceAll("_", " ");
        return {
          // Every third server writes names in another style.
          name: styled(number % 3, `${verb}_${noun}`),
          title: `${verb} ${words}`,
          description:
            `${does} the ${words} of ${name} ${how}. Needs its identifier, unless ` +
            `${keys.join(" and ")} name it. ${description}.`,
          inputSchema: {
            type: "object",
            properties: Object.fromEntries(
              [`${noun}_id`, ...keys, "page_size"].map((key) => [
                key,
                { type: "string", description: `The ${key} of the ${words}.` },
              ]),
            ),
            required: [`${noun}_id`],
          },
        } satisfies DownstreamTool;
      })
    ),
  }));
}

/** Queries as models write them, some with typing errors, and a tool that fits. */
export const QUERIES: readonly (readonly [query: string, tool: RegExp])[] = [
  ["create issue", /^create.?issue$/i],
  ["list pull requests on github", /^list.?pull.?request$/i],
  ["serach message slack", /^search.?message$/i],
  ["export an invoice as csv with stripe", /^export.?invoice$/i],
  ["deletefile", /^delete.?file$/i],
  ["update the assignee of a jira issue", /^update.?issue$/i],
  ["getPullRequest gitlab", /^get.?pull.?request$/i],
  ["calendar evnt create", /^create.?event$/i],
  ["how do I share a report with a group", /^share.?report$/i],
  ["count users", /^count.?user$/i],
];

function styled(style: number, name: string): string {
  if (style === 0) return name;
  if (style === 1) return name.replaceAll("_", "-");
  return name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
}
