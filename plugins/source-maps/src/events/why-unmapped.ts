import type { Host } from "@faultline/plugin";
import type { Event, Frame } from "@faultline/proto";
import type { Tables } from "../tables.ts";
import { nameOf, urlsOf } from "./file-urls.ts";
import { addressOfFrame } from "./frames.ts";
import type { Uploads } from "./uploads-of.ts";
import { verdicts, type Unmapped } from "./verdicts.ts";

/** Files of a release among which the nearest to an address is looked for. */
const comparedFiles = 5_000;

/** Says why no upload has the file of a frame. What an event's frames have in common is read once, as an event may have 250. */
export function reasonsOf(
  host: Host,
  { event, dist, uploads }: { event: Event; dist: string; uploads: Uploads },
): (frame: Frame, debugId: string | undefined) => Promise<Unmapped> {
  const { release, sdk } = event;
  let files: Promise<FilesOfRelease> | undefined;
  return async (frame, debugId) => {
    if (uploads.arePending) return verdicts.pending();
    if (uploads.failure !== undefined) return verdicts.bundleError(uploads.failure);
    if (debugId !== undefined) return verdicts.idUnknown(debugId);
    if (release === "")
      return isTooOld(sdk?.name, sdk?.version) ? verdicts.sdkTooOld(sdk?.version ?? "") : verdicts.notInjected();
    const { dists, urls } = await (files ??= filesOf(host, event, dist));
    if (dists.length === 0) return verdicts.releaseUnknown(release);
    if (!dists.includes(dist)) return verdicts.wrongDist(dist, dists);
    const address = addressOfFrame(frame);
    return verdicts.urlMismatch(urlsOf(address).at(-1) ?? address, urls.get(nameOf(address)));
  };
}

/** What was uploaded for a release. */
interface FilesOfRelease {
  readonly dists: readonly string[];
  /** The addresses of the files of the distribution by their last part. */
  readonly urls: ReadonlyMap<string, string>;
}

async function filesOf({ database }: Host, { projectId, release }: Event, dist: string): Promise<FilesOfRelease> {
  const read = database.read<Tables>();
  const bundles = await read
    .selectFrom("source_bundle")
    .select("dist")
    .distinct()
    .where("project_id", "=", projectId)
    .where("release", "=", release)
    .execute();
  const files = await read
    .selectFrom("source_artifact as artifact")
    .innerJoin("source_bundle as bundle", "bundle.id", "artifact.bundle_id")
    .select("artifact.url")
    .where("artifact.project_id", "=", projectId)
    .where("bundle.release", "=", release)
    .where("bundle.dist", "=", dist)
    .limit(comparedFiles)
    .execute();
  return {
    dists: bundles.map((bundle) => bundle.dist),
    urls: new Map(files.map(({ url }) => [nameOf(url), url])),
  };
}

/** Whether the SDK is one for browsers that is older than debug ids, 7.56. */
function isTooOld(name = "", version = ""): boolean {
  if (!name.startsWith("sentry.javascript.")) return false;
  const [, major = "", minor = ""] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  return major !== "" && (Number(major) < 7 || (Number(major) === 7 && Number(minor) < 56));
}
