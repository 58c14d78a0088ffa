import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { RequestContext } from "../../request-context.ts";

const compress = promisify(gzip);

/** A text that stays the same while the process runs, with a tag by which readers know that they have it. */
export class StaticText {
  readonly bytes: Buffer;
  /** Weak, because the text and its compressed form have the same one (RFC 9110, 8.8.1). */
  readonly tag: string;
  #compressed: Promise<Buffer> | undefined;

  constructor(text: string) {
    this.bytes = Buffer.from(text);
    this.tag = `W/"${createHash("sha256").update(this.bytes).digest("base64url").slice(0, 22)}"`;
  }

  /** Compressed once, when somebody first takes it. */
  get compressed(): Promise<Buffer> {
    this.#compressed ??= compress(this.bytes);
    return this.#compressed;
  }
}

/** Sends a text, compressed for readers that take gzip, or `304` to a reader that has it. */
export async function sendText(
  { request, response }: RequestContext,
  text: StaticText,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const always = { etag: text.tag, "cache-control": "no-cache", vary: "accept-encoding" };
  if (hasTag(request.headers["if-none-match"], text.tag)) {
    response.writeHead(304, always).end();
    return;
  }
  const isCompressed = takesGzip(request.headers["accept-encoding"]);
  const body = isCompressed ? await text.compressed : text.bytes;
  const encoding = isCompressed ? { "content-encoding": "gzip" } : {};
  response.writeHead(200, { ...always, ...headers, ...encoding, "content-length": body.length }).end(body);
}

const hasTag = (sent: string | undefined, tag: string): boolean =>
  (sent ?? "").split(",").some((one) => one.trim() === "*" || one.trim().replace(/^W\//, "") === tag.slice(2));

const takesGzip = (sent: string | string[] | undefined): boolean =>
  String(sent ?? "")
    .toLowerCase()
    .split(",")
    .some((one) => /^\s*(?:gzip|x-gzip)\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/.test(one));
