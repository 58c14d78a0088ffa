import { ServiceError, type HttpAnswer, type HttpCall } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { readChunks } from "../chunks/multipart.ts";
import { UploadError } from "../chunks/upload-error.ts";
import { uploadLimits } from "../uploads/limits.ts";
import { detail, managed } from "./answers.ts";

/** Clients that read it send one chunk a request. */
const chunksPerRequest = 1;

/** The package `sentry` gives up where it should wait for more than ten seconds. */
const retrySeconds = 10;

/** Room for the headers of the parts of a multipart body. */
const overheadBytes = 64 * 1024;

/** `GET .../chunk-upload/`: how clients must upload. */
export async function readUploadOptions(call: HttpCall): Promise<HttpAnswer> {
  const { chunkBytes, bundleBytes } = await call.core.sourceMaps.getUploadLimits({}, call);
  return managed({
    // The package `sentry` refuses a relative address, and one of another origin than its own.
    url: `${call.origin}/api/0/organizations/${encodeURIComponent(call.path["organization"] ?? "")}/chunk-upload/`,
    chunkSize: chunkBytes,
    chunksPerRequest,
    maxFileSize: Number(bundleBytes),
    maxRequestSize: chunkBytes,
    concurrency: 4,
    hashAlgorithm: "sha1",
    compression: ["gzip"],
    // Without `release_files` and `artifact_bundles_v2` sentry-cli 2 uploads file by file, or all chunks each time. `debug_files`: so that
    // it prints why those other than mappings are refused.
    accept: ["release_files", "artifact_bundles", "artifact_bundles_v2", "debug_files", "proguard"],
  });
}

/** `POST .../chunk-upload/`: stores chunks. */
export async function takeChunks(call: HttpCall): Promise<HttpAnswer> {
  const maxBytes = chunksPerRequest * uploadLimits.chunkBytes + overheadBytes;
  await call.core.sourceMaps.getUploadLimits({}, call); // refuses a wrong token before the body is read
  const body = await call.rawBody(maxBytes);
  if (!body)
    return detail(413, `The request has more than ${maxBytes} bytes. Send one chunk of the announced size at a time.`);
  try {
    const limits = { maxChunks: chunksPerRequest, maxChunkBytes: uploadLimits.chunkBytes };
    const chunks = await readChunks(body, call.headers["content-type"] ?? "", limits);
    for (const chunk of chunks) await call.core.sourceMaps.putChunk(chunk, call);
    return { status: 200 };
  } catch (error) {
    if (error instanceof UploadError) return detail(error.status, error.message);
    if (!(error instanceof ServiceError && error.reason === ErrorReason.STORAGE_UNAVAILABLE)) throw error;
    const refusal = detail(503, error.message);
    return { ...refusal, headers: { ...refusal.headers, "Retry-After": String(retrySeconds) } };
  }
}
