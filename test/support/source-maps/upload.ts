import { hash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { http, type HttpAnswer } from "../http/http.ts";
import type { Server as RunningServer } from "../service/server.ts";

type Server = Pick<RunningServer, "url">;

/** The result of an upload, in the form that Sentry's tools read. */
export interface Assembled {
  readonly state: string;
  readonly missingChunks: readonly string[];
  readonly detail: string | null;
}

export interface Upload {
  readonly token: string;
  readonly organization: string;
  readonly projects: readonly string[];
  readonly version?: string;
  readonly dist?: string;
}

/**
 * Uploads a bundle like sentry-cli: it asks for the options and the missing chunks, sends the chunks, and assembles
 * again.
 */
export async function uploadBundle(server: Server, bundle: Buffer, upload: Upload): Promise<Assembled> {
  const { chunkSize } = (await uploadOptions(server, upload)).json as { chunkSize: number };
  const chunks = Array.from({ length: Math.ceil(bundle.length / chunkSize) }, (_, n) =>
    bundle.subarray(n * chunkSize, (n + 1) * chunkSize),
  );
  const first = await assemble(server, bundle, chunks, upload);
  const { state, missingChunks } = first.json as Assembled;
  if (state !== "not_found") return first.json as Assembled;
  for (const chunk of chunks.filter((one) => missingChunks.includes(hash("sha1", one)))) {
    const answer = await putChunk(server, chunk, upload);
    if (answer.status !== 200) throw new Error(answer.text);
  }
  return (await assemble(server, bundle, chunks, upload)).json as Assembled;
}

const address = (server: Server, { organization }: Upload, path: string) =>
  `${server.url}/api/0/organizations/${organization}/${path}/`;

const bearer = ({ token }: Upload) => ({ Authorization: `Bearer ${token}` });

export const uploadOptions = (server: Server, upload: Upload): Promise<HttpAnswer> =>
  http(address(server, upload, "chunk-upload"), { headers: bearer(upload) });

export function assemble(
  server: Server,
  bundle: Buffer,
  chunks: readonly Buffer[],
  upload: Upload,
): Promise<HttpAnswer> {
  const { projects, version, dist } = upload;
  const body = JSON.stringify({
    checksum: hash("sha1", bundle),
    chunks: chunks.map((chunk) => hash("sha1", chunk)),
    projects,
    ...(version !== undefined && { version }),
    ...(dist !== undefined && { dist }),
  });
  const headers = { ...bearer(upload), "Content-Type": "application/json" };
  return http(address(server, upload, "artifactbundle/assemble"), { method: "POST", headers, body, timeoutMs: 30_000 });
}

/** Sends a compressed chunk under its SHA-1, or under another one. */
export function putChunk(
  server: Server,
  chunk: Buffer,
  upload: Upload,
  sha1: string = hash("sha1", chunk),
): Promise<HttpAnswer> {
  const boundary = "faultline-test-boundary";
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file_gzip"; filename="${sha1}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(head), gzipSync(chunk), Buffer.from(`\r\n--${boundary}--\r\n`)]);
  const headers = { ...bearer(upload), "Content-Type": `multipart/form-data; boundary=${boundary}` };
  return http(address(server, upload, "chunk-upload"), { method: "POST", headers, body });
}
