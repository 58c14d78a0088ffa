import { mapComments, type IdentifiedFile, lastComment } from "./debug-ids.ts";

/** The largest `data:` URL that is read, in bytes. */
export const maxInlineMapBytes = 50 * 1024 * 1024;

/**
 * The map that lies in a script as a `data:` URL (RFC 2397), in base64 or percent-encoded. Undefined: there is none, it is
 * malformed, or larger than `maxInlineMapBytes`.
 */
export function inlineMapOf({ headers, content }: Pick<IdentifiedFile, "headers" | "content">): Buffer | undefined {
  const url = headers.sourceMap === undefined ? urlIn(content) : Buffer.from(headers.sourceMap);
  if (url === undefined || url.length > maxInlineMapBytes) return undefined;
  const comma = url.subarray(0, maxHeadBytes).indexOf(",");
  const head = url.toString("latin1", 0, Math.max(comma, 0)).toLowerCase();
  if (comma < 0 || !head.startsWith("data:")) return undefined;
  const data = url.subarray(comma + 1);
  if (head.endsWith(";base64")) return Buffer.from(data.toString("latin1"), "base64");
  try {
    return Buffer.from(decodeURIComponent(data.toString("utf8")));
  } catch {
    return undefined;
  }
}

/** Bytes of a type with its parameters. */
const maxHeadBytes = 256;

function urlIn(script: Buffer): Buffer | undefined {
  const value = lastComment(script, mapComments);
  return value && script.subarray(value.start, value.end);
}
