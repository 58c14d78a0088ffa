import type { IncomingMessage } from "node:http";
import { IngestRefusal } from "../refusal.ts";

/** How much of a refused body is still read, so that the client sees the answer instead of a reset connection. */
const drainedBytes = 4 * 1024 * 1024;

/** Reads a body of at most `maxBytes`; a larger one is refused as soon as that is known. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => new IngestRefusal(413, `The body is larger than ${maxBytes} bytes.`);
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) {
    drain(request);
    return Promise.reject(tooLarge());
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      request.off("data", take);
      drain(request);
      reject(tooLarge());
    };
    request.on("data", take);
    request.on("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on("error", reject);
    request.on("close", () => {
      if (!request.complete) reject(new IngestRefusal(400, "The body was not sent whole."));
    });
  });
}

function drain(request: IncomingMessage): void {
  let size = 0;
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > drainedBytes) request.destroy();
  });
}
