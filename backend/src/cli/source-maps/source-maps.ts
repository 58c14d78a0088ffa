import { ArtifactBundleSchema, ArtifactBundleState as State } from "@faultline/proto";
import type { Command } from "commander";
import { messageBody } from "../derived/methods.ts";
import { CommandFault, print, progress } from "../output.ts";
import { onProject, withService, type Service } from "../service.ts";
import { explainedFrames } from "./explain.ts";
import { folderAt } from "./folder.ts";
import { upload } from "./upload.ts";

/** `faultline sourcemaps ...` */
export function sourceMapCommands(program: Command): void {
  const sourceMaps = program.command("sourcemaps").description("Source maps of minified JavaScript");
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

/** Loads the plugins, which no other command of these needs. */
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
