import type { ServerResponse } from "node:http";

/** A transparent GIF of one pixel, which the oldest browser SDKs load to send an event (section 4.6). */
const pixel = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

/** Sends the pixel; a page can read no more than the status, and in some browsers not even that. */
export function sendPixel(response: ServerResponse, status: number): void {
  response.writeHead(status, { "content-type": "image/gif", "content-length": pixel.length });
  response.end(pixel);
}
