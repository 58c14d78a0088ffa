import { readFileSync } from "node:fs";
import type { DescEnumValue, DescField, DescMessage, DescMethod, DescService } from "@bufbuild/protobuf";

let comments: ReadonlyMap<string, string> | undefined;

/**
 * The comment that a message, a field, a service, a method or a word of an enum has in its proto file, in one line; for "See Type.field"
 * at its beginning the comment of that field. Empty if it has none, and for files that are not in the image.
 */
export function commentOf(of: DescMessage | DescField | DescService | DescMethod | DescEnumValue): string {
  return commentAt(of.kind === "message" || of.kind === "service" ? of.typeName : `${of.parent?.typeName}.${of.name}`);
}

/** `name`: with its package. */
function commentAt(name: string): string {
  comments ??= new Map(Object.entries(written()));
  const comment = comments.get(name) ?? "";
  const [, seen, more = ""] = /^See (\w+\.\w+)\b[.,;:]? ?(.*)$/.exec(comment) ?? [];
  const [packageName = ""] = /^[a-z0-9_.]+(?=\.)/.exec(name) ?? [];
  const found = seen === undefined ? "" : commentAt(`${packageName}.${seen}`);
  return found === "" ? comment : `${found} ${more.charAt(0).toUpperCase()}${more.slice(1)}`.trim();
}

/** The comments by the full name of what they describe. */
function written(): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(new URL(import.meta.resolve("@faultline/proto/comments.json")), "utf8")) as Record<
    string,
    string
  >;
}
