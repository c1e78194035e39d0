import { posix } from "node:path";

/** What the last stage of a Dockerfile, and those that it is made from, say. */
export interface Image {
  /** Commands of the stages, in order. */
  run: string[];
  /** Sources in the repository, and the folders that they go to. */
  copies: { sources: string[]; target: string }[];
  args: Record<string, string>;
  env: Record<string, string>;
  /** Where the commands of the stages run. */
  folder: string;
  user: string;
  /** The command that starts a container. */
  entry: string[];
  healthCheck: string[];
}

/** Reads as much of a Dockerfile as ours has. */
export function readDockerfile(text: string): Image {
  const image: Image = {
    ...{ run: [], copies: [], args: {}, env: {}, folder: "/", user: "root" },
    ...{ entry: [], healthCheck: [] },
  };
  for (const [word, rest] of instructions(text)) {
    switch (word) {
      case "RUN":
        image.run.push(rest);
        break;
      case "COPY":
        if (rest.startsWith("--from")) break;
        image.copies.push({
          sources: rest.split(" ").slice(0, -1),
          target: posix.resolve(image.folder, rest.split(" ").at(-1) ?? ""),
        });
        break;
      case "ARG":
        Object.assign(image.args, toPairs(rest));
        break;
      case "ENV":
        Object.assign(image.env, toPairs(rest));
        break;
      case "WORKDIR":
        image.folder = rest;
        break;
      case "USER":
        image.user = rest;
        break;
      case "HEALTHCHECK":
        image.healthCheck = JSON.parse(rest.slice(rest.indexOf("[")));
        break;
      case "ENTRYPOINT":
      case "CMD":
        image.entry.push(...JSON.parse(rest));
    }
  }
  return image;
}

/** The first word and the rest of each. */
function instructions(text: string): [string, string][] {
  const whole = text.replaceAll(/^#.*\n/gm, "").replaceAll(/ *\\\n */g, " ");
  return whole.split("\n").filter((line) => line !== "").map((line) => {
    const [word = "", ...rest] = line.split(" ");
    return [word, rest.join(" ")];
  });
}

function toPairs(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split(" ").map((pair) => {
      const [name = "", value = ""] = pair.split("=");
      return [name, value.replaceAll('"', "")];
    }),
  );
}
