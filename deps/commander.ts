export { Command, CommanderError, Option } from "@commander-js/extra-typings";
