import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { createHash, hash } from "node:crypto";
import {
  ArtifactBundleSchema,
  ArtifactBundleState as State,
  SourceMapVerdictSchema,
  type Event,
  type Frame,
  type AssembleArtifactBundleResponse,
} from "@faultline/proto";
import type { Command } from "commander";
import { messageBody } from "../derived/methods.ts";
import { CommandFault, print, progress } from "../output.ts";
import { onProject, withService, type Service } from "../service.ts";

/** `faultline sourcemaps ...` */
export function sourceMapCommands(sourceMaps: Command): void {
  const onBuild = (command: Command) =>
    command
      .option("--release <release>", "The release that the events name; not needed where the files have debug ids")
      .option("--url-prefix <prefix>", "The address under which the folder is served", "~/");

  onBuild(sourceMaps.command("check <folder>"))
    .description("Say of each file of a build whether an upload will map its frames, and why; needs no service")
    .action(check);

  onBuild(sourceMaps.command("upload <project> <folder>"))
    .description("Upload the scripts and maps of a folder; a token of the scope upload is enough")
    .option("--dist <dist>", "The distribution within the release", "")
    .action((project: string, folder: string, options: UploadOptions) =>
      withService((service) => uploadFolder(service, { project, folder, ...options })),
    );

  sourceMaps
    .command("explain <project> <event>")
    .description("Say of each frame of an event why it shows its source or not; <event> is the id of an event")
    .action(onProject((service, { projectId }, eventId: string) => explain(service, { projectId, eventId })));
}

interface BuildOptions {
  readonly release?: string;
  readonly urlPrefix: string;
}

interface UploadOptions extends BuildOptions {
  readonly dist: string;
}

/** Loads the plugins. The other commands here do not need them. */
const builds = async () => (await import("../../built-in.ts")).builds;

async function check(folder: string, { release, urlPrefix }: BuildOptions): Promise<void> {
  const { checkBuild, isUploaded, limits } = await builds();
  const checks = await checkBuild(await folderAt(folder, isUploaded, limits), { release, urlPrefix });
  print(checks.map(({ debugIds, ...others }) => ({ ...others, debug_ids: debugIds })));
  const failing = checks.filter(({ verdict }) => verdict === "will_not_match").length;
  if (failing > 0) throw new CommandFault(`${failing} of ${checks.length} files will not match.`);
}

async function uploadFolder(
  service: Service,
  { project, folder, release = "", dist, urlPrefix }: UploadOptions & { project: string; folder: string },
): Promise<void> {
  const { filesOf, isUploaded, limits, writeBundle } = await builds();
  const build = await folderAt(folder, isUploaded, limits);
  const bundle = () => writeBundle(filesOf(build, { urlPrefix }));
  const { state, artifactBundle } = await upload(service, { project, release, dist, bundle });
  if (artifactBundle) print(messageBody(ArtifactBundleSchema, artifactBundle));
  if (state === State.ERROR) throw new CommandFault(`The upload cannot be used. ${artifactBundle?.detail ?? ""}`);
  if (state === State.CREATED) progress("the upload is still being read; faultline sourcemaps list shows the result");
}

async function explain(
  { errors, sourceMaps, call }: Service,
  named: { projectId: number; eventId: string },
): Promise<void> {
  const { event } = await errors.getEvent(named, call);
  const frames = event ? explainedFrames(event) : [];
  print(frames);
  if (frames.length > 0) return;
  const { artifactBundles } = await sourceMaps.listArtifactBundles({ projectId: named.projectId, pageSize: 1 }, call);
  progress(
    artifactBundles.length === 0
      ? "no source map was uploaded for this project: faultline sourcemaps upload does it, or Sentry's tools"
      : "no frame of the event is of minified JavaScript",
  );
}

/** The printed parts of a frame. */
interface ExplainedFrame {
  /** The type of its exception, or the name of its thread. */
  readonly of: string;
  readonly function: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly verdict: string;
  readonly cause: string;
  readonly next_step: string;
}

/** The frames of an event in minified JavaScript, each with the reason why its source is shown or not. */
function explainedFrames({ exceptions, threads }: Event): ExplainedFrame[] {
  return [
    ...exceptions.flatMap(({ type, frames }) => frames.map((frame) => ({ of: type, frame }))),
    ...threads.flatMap(({ name, frames }) => frames.map((frame) => ({ of: name, frame }))),
  ].flatMap(({ of, frame }) => explained(of, frame) ?? []);
}

function explained(of: string, frame: Frame): ExplainedFrame | undefined {
  const { sourceMapping, function: name, filename, absPath, lineno, colno } = frame;
  if (!sourceMapping) return undefined;
  const { verdict, cause, nextStep } = sourceMapping;
  return {
    of,
    function: name,
    file: filename || absPath,
    line: lineno,
    column: colno,
    verdict: SourceMapVerdictSchema.value[verdict]?.localName.toLowerCase() ?? "",
    cause,
    next_step: nextStep,
  };
}

/** The limits of the service. */
interface FolderLimits {
  /** Files of a bundle, including its manifest. */
  readonly entries: number;
  readonly fileBytes: number;
}

/**
 * The files of a folder and its subfolders from a build, in the order of their names. `isWanted` chooses by the path.
 * Packages in `node_modules` and links are left out. Refuses a folder with too many files; a file that is too large is
 * refused when it is read.
 */
async function folderAt(root: string, isWanted: (path: string) => boolean, { entries, fileBytes }: FolderLimits) {
  const mostFiles = entries - 1;
  const paths: string[] = [];
  const look = async (below: string): Promise<void> => {
    const found = await readdir(join(root, below), { withFileTypes: true }).catch(notReadable);
    for (const entry of found.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory() && entry.name !== "node_modules") await look(path);
      else if (entry.isFile() && isWanted(path)) paths.push(path);
      if (paths.length > mostFiles) {
        throw new CommandFault(`${root} has more than ${mostFiles} scripts and maps. Name its folders one by one.`);
      }
    }
  };
  await look("");
  if (paths.length === 0) {
    throw new CommandFault(
      `${root} has no script and no source map. Build with source maps, and name the folder that the build writes.`,
    );
  }
  return { paths, read: (path: string) => contentOf(join(root, path), fileBytes) };
}

async function contentOf(path: string, mostBytes: number): Promise<Buffer> {
  const { size } = await stat(path).catch(notReadable);
  if (size > mostBytes) {
    throw new CommandFault(
      `${path} has more than ${mostBytes / 1024 / 1024} MiB. Split the bundle into smaller chunks.`,
    );
  }
  return readFile(path).catch(notReadable);
}

function notReadable(error: unknown): never {
  throw new CommandFault(`The build cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
}

/** The project by its id or path, because a token of the scope upload may not look it up. */
const projectKey = (named: string) => (/^\d+$/.test(named) ? { projectId: Number(named) } : { projectPath: named });

interface Upload {
  readonly project: string;
  readonly release: string;
  readonly dist: string;
  /** Makes the bytes of the bundle; each call returns the same bytes. */
  readonly bundle: () => AsyncIterable<Buffer>;
}

/** The service waits up to 20 seconds for a bundle to be read. */
const assembleMs = 30_000;
const mostWaits = 30;

/**
 * Uploads a bundle with one chunk in memory at a time: it is made once to learn which chunks the service lacks, and
 * again to send these chunks. Returns the bundle as the service read it.
 */
async function upload(
  { sourceMaps, call }: Service,
  { project, release, dist, bundle }: Upload,
): Promise<AssembleArtifactBundleResponse> {
  const { chunkBytes, bundleBytes } = await sourceMaps.getUploadLimits({}, call);
  const whole = createHash("sha1");
  const chunks: string[] = [];
  for await (const chunk of chunksOf(bundle(), chunkBytes)) {
    whole.update(chunk);
    chunks.push(hash("sha1", chunk));
    if (BigInt(chunks.length) * BigInt(chunkBytes) > bundleBytes) throw tooLarge(bundleBytes);
  }
  const request = { ...projectKey(project), checksum: whole.digest("hex"), chunks, release, dist };
  const assemble = () => sourceMaps.assembleArtifactBundle(request, { ...call, timeoutMs: assembleMs });
  let answer = await assemble();
  if (answer.state === State.NOT_FOUND) {
    const missing = new Set(answer.missingChunks);
    for await (const content of chunksOf(bundle(), chunkBytes)) {
      const sha1 = hash("sha1", content);
      if (missing.delete(sha1)) await sourceMaps.putChunk({ sha1, content }, call);
    }
    answer = await assemble();
  }
  for (let waits = 0; answer.state === State.CREATED && waits < mostWaits; waits++) answer = await assemble();
  if (answer.state === State.NOT_FOUND) {
    throw new CommandFault("The folder changed while it was uploaded. Upload it again when the build is done.");
  }
  return answer;
}

/** Pieces of any size as chunks of one size. Only the last chunk may be smaller. */
async function* chunksOf(pieces: AsyncIterable<Buffer>, chunkBytes: number): AsyncGenerator<Buffer> {
  let chunk = Buffer.alloc(chunkBytes);
  let filled = 0;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length;) {
      const copied = piece.copy(chunk, filled, at);
      filled += copied;
      at += copied;
      if (filled < chunkBytes) continue;
      yield chunk;
      chunk = Buffer.alloc(chunkBytes);
      filled = 0;
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled);
}

function tooLarge(bytes: bigint): CommandFault {
  return new CommandFault(
    `The build makes a bundle of more than ${bytes / 1024n / 1024n} MiB. Upload its folders one by one, each with the --url-prefix under which it is served.`,
  );
}
