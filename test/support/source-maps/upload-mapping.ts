import { hash } from "node:crypto";
import { http, type HttpAnswer } from "../http/http.ts";
import type { Server as RunningServer } from "../service/server.ts";
import { putChunk, type Assembled, type Upload } from "./upload.ts";

type Server = Pick<RunningServer, "url">;

/**
 * Uploads a mapping of ProGuard or R8 like `sentry-cli upload-proguard` 3.8. Without an id, the name of the file has
 * none.
 */
export async function uploadMapping(
  server: Server,
  mapping: Buffer,
  upload: Upload,
  id: string | undefined,
): Promise<Assembled> {
  const name = id === undefined ? "libshop.so" : `/proguard/${id}.txt`;
  const first = await assembleDebugFile(server, mapping, upload, name);
  if (first.state !== "not_found") return first;
  const answer = await putChunk(server, mapping, upload);
  if (answer.status !== 200) throw new Error(answer.text);
  return assembleDebugFile(server, mapping, upload, name);
}

async function assembleDebugFile(server: Server, file: Buffer, upload: Upload, name: string): Promise<Assembled> {
  const sha1 = hash("sha1", file);
  const answer = await postFiles(server, upload, "difs/assemble", {
    contentType: "application/json",
    body: Buffer.from(JSON.stringify({ [sha1]: { name, chunks: [sha1] } })),
  });
  if (answer.status !== 200) throw new Error(answer.text);
  const { [sha1]: assembled } = answer.json as Record<string, Assembled>;
  if (!assembled) throw new Error(answer.text);
  return assembled;
}

/** Sends a request to an address of the debug files of an upload's first project. */
export function postFiles(
  server: Server,
  { token, organization, projects }: Upload,
  path: string,
  { contentType, body }: { readonly contentType: string; readonly body: Buffer },
): Promise<HttpAnswer> {
  const [project = ""] = projects;
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": contentType };
  return http(`${server.url}/api/0/projects/${organization}/${project}/files/${path}/`, {
    method: "POST",
    headers,
    body,
  });
}
