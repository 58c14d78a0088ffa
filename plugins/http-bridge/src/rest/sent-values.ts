import type { IncomingMessage } from "node:http";
import { parseForeignJson } from "@faultline/plugin";
import { badParameter, type Sent } from "@faultline/plugin/rest";
import { readBody } from "../read-request.ts";
import { unsupportedType } from "./http-error.ts";

/** A name and its value, in the order in which they were sent. */
export type Entry = readonly [name: string, value: unknown];

/** The fields of a body of JSON, or of either kind of form, at most 64 KiB. */
export async function bodyEntries(request: IncomingMessage): Promise<readonly Entry[]> {
  const body = await readBody(request);
  if (body === undefined) throw badParameter("body", "is too large");
  const text = body.toString();
  if (text.trim() === "") return [];
  const header = request.headers["content-type"] ?? "application/json";
  const type = header.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type === "application/x-www-form-urlencoded") return [...new URLSearchParams(text)];
  if (type === "multipart/form-data") return multipartEntries(body, header);
  if (type !== "application/json") throw unsupportedType(type);
  const parsed = parse(body);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) throw badParameter("body", "is invalid");
  return Object.entries(parsed);
}

/** A file is a value that no parameter takes. */
async function multipartEntries(body: Buffer, header: string): Promise<readonly Entry[]> {
  try {
    const form = await new Response(new Uint8Array(body), { headers: { "content-type": header } }).formData();
    return [...form];
  } catch {
    throw badParameter("body", "is invalid");
  }
}

/**
 * Values by their names. As in the original, `ids[]=1&ids[]=2` is the list `ids` and `fields[url]=x` the field `url` of
 * the object `fields`; of a name that comes twice the last value holds.
 */
export function namedValues(entries: readonly Entry[]): Sent {
  const values = new Map<string, unknown>();
  for (const [name, value] of entries) {
    const [, outer, inner] = /^([^[\]]+)\[([^[\]]*)\]$/.exec(name) ?? [];
    if (outer === undefined || inner === undefined) {
      values.set(name, value);
      continue;
    }
    const before = values.get(outer);
    if (inner === "") {
      if (Array.isArray(before)) before.push(value);
      else values.set(outer, [value]);
    } else if (before instanceof Map) before.set(inner, value);
    else values.set(outer, new Map([[inner, value]]));
  }
  return Object.fromEntries(
    [...values].map(([name, value]) => [name, value instanceof Map ? Object.fromEntries(value) : value]),
  );
}

function parse(body: Buffer): unknown {
  try {
    return parseForeignJson(body);
  } catch {
    throw badParameter("body", "is invalid");
  }
}
