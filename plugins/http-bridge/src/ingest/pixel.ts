import type { ServerResponse } from "node:http";

/** A transparent GIF of one pixel, which the oldest browser SDKs load to send an event (section 4.6). */
const pixel = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

/** Sends the pixel. A page can read at most the status, and in some browsers nothing. */
export function sendPixel(response: ServerResponse, status: number): void {
  response.writeHead(status, { "content-type": "image/gif", "content-length": pixel.length });
  response.end(pixel);
}
