import { normalDebugId } from "./debug-id.ts";
import type { BundleFile } from "./read-bundle.ts";
import { topLevelTexts } from "./map-keys.ts";
import { maxNameLength } from "./bundle-limits.ts";
import { lastComment } from "./script-comments.ts";
import { snippetIds } from "./snippet-ids.ts";

/** What a file says of the other half of its pair. */
export interface Identifiers {
  /** Lower-case UUIDs, distinct: the header's first, then the comment's or the map's, then those of snippets. */
  readonly debugIds: readonly string[];
  /** Where the map of a script lies, as it is written there: an address relative to that of the script, or `~/...`. */
  readonly sourceMapUrl?: string;
  /** Whether the map lies in the script itself, as a `data:` URL: see `inlineMapOf`. */
  readonly hasInlineMap?: true;
}

/** What is needed of a file. */
export type IdentifiedFile = Pick<BundleFile, "type" | "headers" | "content">;

/**
 * All debug ids of a file (section 2.1), and the reference to its map. A script into which two tools put ids has several,
 * which all stand for it: the SDK sends one of them. What is not an id is ignored.
 */
export function identifiersOf(file: IdentifiedFile): Identifiers {
  const { headers, content } = file;
  if (file.type === "source_map") {
    const ids = topLevelTexts(content, ["debug_id", "debugId"]);
    return { debugIds: distinct([headers.debugId, ...ids]) };
  }
  if (!mayBeScript(file)) return { debugIds: distinct([headers.debugId]) };
  const ids = [headers.debugId, commentIn(content, ["//# debugId="]), ...snippetIds(content)];
  return { debugIds: distinct(ids), ...referenceOf(file) };
}

/** sentry-cli says that a script is a source where its text does not look minified, as that of dart2js and TypeScript. */
export const mayBeScript = ({ type }: Pick<IdentifiedFile, "type">): boolean =>
  type === "minified_source" || type === "source";

/** Comments that name the map of a script (ECMA-426, section 11.1.2.1); the second is the older one. */
export const mapComments = ["//# sourceMappingURL=", "//@ sourceMappingURL="];

function distinct(ids: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(ids.map(normalDebugId).filter((id) => id !== undefined))];
}

/** The header of a file comes before its comment. */
function referenceOf({ headers, content }: IdentifiedFile): Pick<Identifiers, "sourceMapUrl" | "hasInlineMap"> {
  const url = headers.sourceMap ?? commentIn(content, mapComments);
  if (url === undefined || url === "") return {};
  return /^data:/i.test(url) ? { hasInlineMap: true } : { sourceMapUrl: url };
}

/** The value of the last such comment, up to the length of a URL. */
function commentIn(script: Buffer, comments: readonly string[]): string | undefined {
  const value = lastComment(script, comments);
  return value && script.toString("utf8", value.start, Math.min(value.end, value.start + maxNameLength));
}
