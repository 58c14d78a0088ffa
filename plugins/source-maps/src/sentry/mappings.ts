import { hash } from "node:crypto";
import type { HttpAnswer, HttpCall } from "@faultline/plugin";
import { ArtifactBundleKind, ArtifactBundleState, SourceMapService, type ArtifactBundle } from "@faultline/proto";
import { formFiles } from "../chunks/form-files.ts";
import { UploadError } from "../chunks/upload-error.ts";
import { uploadLimits } from "../uploads/limits.ts";
import { detail, managed } from "./answers.ts";
import { projectKey, type ProjectPathOf } from "./project-key.ts";

/** Bytes of the body: mappings shrink to a tenth, so that one of 128 MiB passes. It is held in memory. */
const maxBytes = 16 * 1024 * 1024;

/** The client sends one. */
const mostParts = 16;

/**
 * `POST .../files/dsyms/`: mappings of ProGuard and R8 in a ZIP file, as `sentry-cli upload-proguard` of version 2 sends them, whole. It
 * becomes chunks, so that it is read as any other upload.
 */
export const takeMappings =
  (pathOf: ProjectPathOf) =>
  async (call: HttpCall): Promise<HttpAnswer> => {
    await call.core.sourceMaps.getUploadLimits({}, call); // refuses a wrong token before the body is read
    const key = projectKey(pathOf, call.path["organization"] ?? "", call.path["project"] ?? "");
    if (!key) return detail(404, `There is no project ${call.path["project"] ?? ""}.`);
    const project = "projectId" in key ? key.projectId : key.projectPath;
    await call.admit(SourceMapService.method.assembleArtifactBundle, project);
    const body = await call.rawBody(maxBytes);
    if (!body)
      return detail(413, `The request has more than ${maxBytes} bytes. Upload with sentry-cli 3, which sends chunks.`);
    const zip = await fileOf(body, call.headers["content-type"] ?? "");
    if (zip instanceof UploadError) return detail(zip.status, zip.message);
    const chunks: string[] = [];
    for (let start = 0; start < zip.length; start += uploadLimits.chunkBytes) {
      const content = zip.subarray(start, start + uploadLimits.chunkBytes);
      const sha1 = hash("sha1", content);
      await call.core.sourceMaps.putChunk({ sha1, content }, call);
      chunks.push(sha1);
    }
    const upload = { checksum: hash("sha1", zip), chunks, kind: ArtifactBundleKind.PROGUARD };
    const { state, artifactBundle } = await call.core.sourceMaps.assembleArtifactBundle({ ...key, ...upload }, call);
    if (state === ArtifactBundleState.ERROR) return detail(400, artifactBundle?.detail ?? "");
    return managed(artifactBundle ? artifactBundle.debugIds.map((id) => fileShape(artifactBundle, id)) : []);
  };

/** The part `file` of a form. */
async function fileOf(body: Buffer, contentType: string): Promise<Buffer | UploadError> {
  try {
    const files = await formFiles(body, contentType, mostParts);
    const file = files.find(({ name, content }) => name === "file" && content.length > 0);
    return file?.content ?? new UploadError('The form has no part named "file" with the ZIP file of the mappings.');
  } catch (error) {
    if (error instanceof UploadError) return error;
    throw error;
  }
}

/** A debug file as Sentry's API shows it. */
function fileShape({ bundleId, checksum }: ArtifactBundle, debugId: string): object {
  return {
    id: String(bundleId),
    uuid: debugId,
    debugId,
    cpuName: "any",
    objectName: "proguard-mapping",
    symbolType: "proguard",
    sha1: checksum,
    headers: { "Content-Type": "text/x-proguard+plain" },
    data: { features: ["mapping"] },
  };
}
