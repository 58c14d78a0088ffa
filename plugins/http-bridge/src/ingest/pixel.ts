import type { ServerResponse } from "node:http";

/** A transparent GIF of one pixel: what the oldest browser SDKs load to send an event (section 4.6). */
const pixel = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

/** Answers with the pixel; a page cannot read more than the status, and not even that everywhere. */
export function sendPixel(response: ServerResponse, status: number): void {
  response.writeHead(status, { "content-type": "image/gif", "content-length": pixel.length });
  response.end(pixel);
}
