import { hash } from "node:crypto";
import { type HttpApiRoute, type HttpAnswer, type HttpCall, ServiceError } from "@faultline/plugin";
import {
  ErrorReason,
  ArtifactBundleKind,
  ArtifactBundleState as State,
  type AssembleArtifactBundleResponse,
  ArtifactBundleState,
  SourceMapService,
  type ArtifactBundle,
} from "@faultline/proto";
import { readChunks, formFiles, UploadError } from "./multipart.ts";
import { uploadLimits } from "../uploads/limits.ts";
import { mappingIdOf } from "../proguard/store-mappings.ts";

/** The path of the project that two slugs of Sentry name; undefined if no path has them. */
export type ProjectPathOf = (slugs: { readonly organization: string; readonly project: string }) => string | undefined;

/** How a request names the project of an address: by the id if the address has the id in place of the slug, otherwise by its path. Undefined if it names no project. */
function projectKey(
  pathOf: ProjectPathOf,
  organization: string,
  project: string,
): { readonly projectId: number } | { readonly projectPath: string } | undefined {
  if (isId.test(project)) return { projectId: Number(project) };
  const projectPath = pathOf({ organization, project });
  return projectPath === undefined ? undefined : { projectPath };
}

const isId = /^[1-9]\d{0,8}$/;

/** An answer with a body. The package `sentry` keeps answers that lack cache headers for five minutes. */
const managed = (body: unknown, status = 200): HttpAnswer => ({
  status,
  headers: { "Cache-Control": "no-store" },
  body,
});

/** A refusal, which Sentry's tools print: the cause, and the next step. */
const detail = (status: number, text: string): HttpAnswer => managed({ detail: text }, status);

/** Bytes of the body: mappings shrink to a tenth, so that a mapping of 128 MiB passes. The body is held in memory. */
const maxMappingBytes = 16 * 1024 * 1024;

/** The client sends one file. */
const mostParts = 16;

/**
 * `POST .../files/dsyms/`: mappings of ProGuard and R8 in a ZIP file, as `sentry-cli upload-proguard` of version 2 sends them, whole. It
 * becomes chunks, so that it is read as any other upload.
 */
const takeMappings =
  (pathOf: ProjectPathOf) =>
  async (call: HttpCall): Promise<HttpAnswer> => {
    await call.core.sourceMaps.getUploadLimits({}, call); // refuses a wrong token before the body is read
    const key = projectKey(pathOf, call.path["organization"] ?? "", call.path["project"] ?? "");
    if (!key) return detail(404, `There is no project ${call.path["project"] ?? ""}.`);
    const project = "projectId" in key ? key.projectId : key.projectPath;
    await call.admit(SourceMapService.method.assembleArtifactBundle, project);
    const body = await call.rawBody(maxMappingBytes);
    if (!body)
      return detail(
        413,
        `The request has more than ${maxMappingBytes} bytes. Upload with sentry-cli 3, which sends chunks.`,
      );
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

/** Projects that a call may name; each gets the bundle. */
const mostProjects = 20;

/** The words of Sentry's tools for the states. */
const states: Readonly<Record<State, string>> = {
  [State.UNSPECIFIED]: "error",
  [State.NOT_FOUND]: "not_found",
  [State.CREATED]: "created",
  [State.OK]: "ok",
  [State.ERROR]: "error",
};

/** The answer for several projects: the first of these states that one of them has. */
const order = [State.NOT_FOUND, State.ERROR, State.CREATED, State.OK];

/** `POST .../artifactbundle/assemble/`: reads a bundle of chunks for the projects that it names. */
const assembleBundle =
  (pathOf: ProjectPathOf) =>
  async (call: HttpCall): Promise<HttpAnswer> => {
    const { checksum, chunks, projects, version, dist } = call.body;
    if (!isTexts(chunks)) return detail(400, "`chunks` must be a list of SHA-1s.");
    const named = Array.isArray(projects) ? projects.map(String) : [];
    if (named.length === 0) return detail(400, "Name the project: set --project, or SENTRY_PROJECT.");
    if (named.length > mostProjects) return detail(400, `Name at most ${mostProjects} projects.`);
    await call.spend(named.length - 1);
    const keys = [];
    for (const project of named) {
      const key = projectKey(pathOf, call.path["organization"] ?? "", project);
      if (!key) return detail(404, `There is no project ${project}.`);
      keys.push(key);
    }
    const bundle = { checksum: String(checksum), chunks, release: textOf(version), dist: textOf(dist) };
    // All together, because each waits up to 20 seconds and Sentry's clients give up after 30.
    const answers: AssembleArtifactBundleResponse[] = await Promise.all(
      keys.map((key) => call.core.sourceMaps.assembleArtifactBundle({ ...key, ...bundle }, call)),
    );
    const decisive = order.map((state) => answers.find((answer) => answer.state === state)).find(Boolean);
    const state = decisive?.state ?? State.ERROR;
    return managed({
      state: states[state],
      missingChunks: decisive?.missingChunks ?? [],
      detail: decisive?.artifactBundle?.detail || null,
    });
  };

const textOf = (value: unknown) => (typeof value === "string" ? value : "");

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

/** Files that a call may name; sentry-cli 3.8 names all mappings of a command in one call. */
const mostFiles = 50;

/** How long a call waits for its files to be read. Sentry's clients give up after 30 seconds. */
const waitMs = 20_000;

/** How a file of the body is described. */
type SentFile = Readonly<Record<string, unknown>>;

/** `POST .../files/difs/assemble/`: reads mappings of ProGuard and R8 of chunks; the body has them by their SHA-1. */
const assembleDebugFiles =
  (pathOf: ProjectPathOf) =>
  async (call: HttpCall): Promise<HttpAnswer> => {
    const key = projectKey(pathOf, call.path["organization"] ?? "", call.path["project"] ?? "");
    if (!key) return detail(404, `There is no project ${call.path["project"] ?? ""}.`);
    const files = Object.entries(call.body);
    if (files.length > mostFiles) return detail(400, `Name at most ${mostFiles} files. Upload the others afterwards.`);
    await call.spend(Math.max(files.length - 1, 0));
    const waiting = { ...call, signal: AbortSignal.any([call.signal, AbortSignal.timeout(waitMs)]) };
    const assembleFile = async (checksum: string, { name, chunks }: SentFile): Promise<object> => {
      const debugId = typeof name === "string" ? mappingIdOf(name) : undefined;
      if (debugId === undefined) return { state: "error", missingChunks: [], detail: onlyMappings };
      if (!isTexts(chunks)) return { state: "error", missingChunks: [], detail: "`chunks` must be a list of SHA-1s." };
      const mapping = { checksum, chunks, kind: ArtifactBundleKind.PROGUARD, debugId };
      const answer = await call.core.sourceMaps.assembleArtifactBundle({ ...key, ...mapping }, waiting);
      return {
        state: states[answer.state],
        missingChunks: answer.missingChunks,
        detail: answer.artifactBundle?.detail || null,
      };
    };
    const answers: (readonly [checksum: string, answer: object])[] = [];
    // As many concurrently as may wait for a project.
    for (let n = 0; n < files.length; n += uploadLimits.waitingOfProject)
      answers.push(
        ...(await Promise.all(
          files
            .slice(n, n + uploadLimits.waitingOfProject)
            .map(async ([checksum, file]) => [checksum, await assembleFile(checksum, asFile(file))] as const),
        )),
      );
    return managed(Object.fromEntries(answers));
  };

const asFile = (value: unknown): SentFile => (typeof value === "object" && value !== null ? (value as SentFile) : {});

const onlyMappings =
  "Only ProGuard and R8 mappings are supported as debug files: upload them with sentry-cli upload-proguard. Native symbols, PDB and JVM source bundles are not supported.";

/** Clients that read it send one chunk a request. */
const chunksPerRequest = 1;

/** The package `sentry` gives up if it should wait for more than ten seconds. */
const retrySeconds = 10;

/** Room for the headers of the parts of a multipart body. */
const overheadBytes = 64 * 1024;

/** `GET .../chunk-upload/`: how clients must upload. */
async function readUploadOptions(call: HttpCall): Promise<HttpAnswer> {
  const { chunkBytes, bundleBytes } = await call.core.sourceMaps.getUploadLimits({}, call);
  return managed({
    // The package `sentry` refuses a relative address, and an address of another origin than its own.
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
async function takeChunks(call: HttpCall): Promise<HttpAnswer> {
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

/**
 * `.../releases/:version/files/` and `.../releases/:version/assemble/`: the files of a release one by one, as sentry-cli 2 uploads
 * them with `files` and `releases files`. Release 3 no longer has these commands.
 */
async function refuseFiles(call: HttpCall): Promise<HttpAnswer> {
  await checkToken(call);
  return detail(
    410,
    "Files of a release are not uploaded one by one. Upload the folder with `sentry-cli sourcemaps upload`.",
  );
}

/** The list of these files, which `sourcemaps explain` of sentry-cli 2 also reads. */
async function refuseFileList(call: HttpCall): Promise<HttpAnswer> {
  await checkToken(call);
  return detail(
    410,
    "Files of a release are not listed one by one: `faultline sourcemaps list` and the page Source maps show uploads by `sentry-cli sourcemaps upload`. The page of an event and `faultline sourcemaps explain` show why a frame is minified.",
  );
}

/** Refuses a token that may not upload. */
const checkToken = (call: HttpCall) => call.core.sourceMaps.getUploadLimits({}, call);

const organization = "/api/0/organizations/:organization";
const project = "/api/0/projects/:organization/:project";

/** The addresses by which Sentry's tools upload, for the API that clients of Sentry expect. */
export const uploadRoutes = (projectPathOf: ProjectPathOf): readonly HttpApiRoute[] => [
  {
    path: `${organization}/chunk-upload`,
    isRaw: true,
    takes: { GET: [], POST: [] },
    methods: { GET: readUploadOptions, POST: takeChunks },
  },
  {
    path: `${organization}/artifactbundle/assemble`,
    takes: { POST: [] },
    methods: { POST: assembleBundle(projectPathOf) },
  },
  {
    path: `${project}/files/difs/assemble`,
    takes: { POST: [] },
    methods: { POST: assembleDebugFiles(projectPathOf) },
  },
  {
    path: `${project}/files/dsyms`,
    isRaw: true,
    takes: { POST: [] },
    methods: { POST: takeMappings(projectPathOf) },
  },
  // They refuse every call, whatever its parameters are: only the sentence about the address helps.
  ...[organization, project].flatMap((of) => [
    { path: `${of}/releases/:version/files`, isRaw: true, methods: { GET: refuseFileList, POST: refuseFiles } },
    { path: `${of}/releases/:version/assemble`, methods: { POST: refuseFiles } },
  ]),
];
