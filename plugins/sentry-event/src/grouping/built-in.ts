import type { ErrorEvent, GroupingException, GroupingFrame } from "@faultline/proto";
import type { Reach } from "./stack-parts.ts";

/** What is one fault wherever it happens: a rule of our own, in place of the application's fingerprint. */
export interface BuiltIn {
  readonly parts: readonly string[];
  readonly why: string;
}

/** The rule that an event falls under. Undefined: none, as for nearly all. */
export function builtInRule(
  main: GroupingException,
  { platform }: Pick<ErrorEvent, "platform">,
  reach: Reach,
): BuiltIn | undefined {
  if (platform === "javascript" && isFailedImport(main)) {
    return {
      parts: ["failed import"],
      why: "A part of the application could not be loaded, for example after a deployment. All such failures are one error.",
    };
  }
  if (reach === "application" || !isTimeout(main)) return undefined;
  const client = main.frames.findLast((frame) => clientOf(frame) !== "");
  if (!client) return undefined;
  return {
    parts: ["timeout", main.type, clientOf(client)],
    why: `All timeouts of ${clientOf(client)} without a frame of the application are one error, wherever the library waited.`,
  };
}

/** As webpack, Vite and the browsers say it. */
const failedImport =
  /^Loading (?:CSS )?chunk \S{1,100} failed|^(?:Failed to fetch|error loading) dynamically imported module|^Importing a module script failed|^Unable to preload CSS for |^'text\/html' is not a valid JavaScript MIME type/i;

const isFailedImport = ({ type, value }: GroupingException) =>
  type === "ChunkLoadError" || failedImport.test(value.replace(/^ChunkLoadError: /, ""));

const isTimeout = ({ type, value }: GroupingException) =>
  /time(?:d_?)?out/i.test(type) || /\bE(?:SOCKET)?TIMEDOUT\b/.test(value);

/** The package of a client library, by the path or the module of one of its frames. */
function clientOf({ module, filename }: GroupingFrame): string {
  const path = /(?:node_modules|vendor|site-packages|dist-packages)[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(
    filename,
  )?.[1];
  if (path !== undefined) return path;
  const gem = /[\\/]gems[\\/]([^\\/]+?)-\d[^\\/]*[\\/]/.exec(filename)?.[1];
  if (gem !== undefined) return gem;
  if (module.includes("/")) return module.split("/", 3).join("/"); // Go
  const names = module.split(/[.:]/);
  return names.length < 2 ? "" : names.slice(0, /^(?:com|org|io|net|dev)$/.test(names[0] ?? "") ? 3 : 1).join(".");
}
