import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { RequestContext } from "../../request-context.ts";

const compress = promisify(gzip);

let isCompressing = false;

/** A text that never changes while the process runs, with a tag that tells readers whether they have it. */
export class StaticText {
  readonly bytes: Buffer;
  /** Weak, because the text and its compressed form share the tag (RFC 9110, 8.8.1). */
  readonly tag: string;
  #compressed: Promise<Buffer> | undefined;

  /** `tagged` is a shorter text that changes whenever the bytes do. */
  constructor(bytes: Buffer, tagged: string | Buffer = bytes) {
    this.bytes = bytes;
    this.tag = `W/"${createHash("sha256").update(tagged).digest("base64url").slice(0, 22)}"`;
  }

  /**
   * The text, compressed once. Undefined while another text is compressed: readers who invent an address for each page
   * must not occupy all threads.
   */
  compressed(): Promise<Buffer> | undefined {
    if (this.#compressed || isCompressing) return this.#compressed;
    isCompressing = true;
    this.#compressed = compress(this.bytes).finally(() => (isCompressing = false));
    return this.#compressed;
  }
}

/** Sends a text, compressed for readers that accept gzip, or `304` to a reader that has it. */
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
  const compressed = takesGzip(request.headers["accept-encoding"]) ? await text.compressed() : undefined;
  const body = compressed ?? text.bytes;
  const encoding = compressed ? { "content-encoding": "gzip" } : {};
  response.writeHead(200, { ...always, ...headers, ...encoding, "content-length": body.length }).end(body);
}

const hasTag = (sent: string | undefined, tag: string): boolean =>
  (sent ?? "").split(",").some((one) => one.trim() === "*" || one.trim().replace(/^W\//, "") === tag.slice(2));

const takesGzip = (sent: string | string[] | undefined): boolean =>
  String(sent ?? "")
    .toLowerCase()
    .split(",")
    .some((one) => /^\s*(?:gzip|x-gzip)\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/.test(one));
