/** The parts of an HTTP/1.1 answer, and the contents of its head. */
export interface RawAnswer {
  readonly status: number;
  /** The status line and headers, without the blank line. */
  readonly head: string;
  readonly bodyStart: number;
  /** The bytes of head and body. */
  readonly length: number;
  /** Whether the server closes the connection after the answer. */
  readonly closes: boolean;
}

/** The first answer in `bytes`; undefined while it is incomplete. */
export function readAnswer(bytes: Buffer): RawAnswer | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const head = bytes.toString("latin1", 0, headEnd);
  const bodyStart = headEnd + 4;
  const bodyEnd = endOfBody(bytes, head, bodyStart);
  if (bodyEnd < 0 || bodyEnd > bytes.length) return undefined;
  return {
    status: Number(head.slice(9, 12)),
    head,
    bodyStart,
    length: bodyEnd,
    closes: /^connection: *close/im.test(head),
  };
}

function endOfBody(bytes: Buffer, head: string, bodyStart: number): number {
  const contentLength = /^content-length: *(\d+)/im.exec(head)?.[1];
  if (contentLength !== undefined) return bodyStart + Number(contentLength);
  if (!/^transfer-encoding: *chunked/im.test(head)) return bodyStart; // no body
  const lastChunk = bytes.indexOf("0\r\n\r\n", bodyStart);
  return lastChunk < 0 ? -1 : lastChunk + 5;
}
