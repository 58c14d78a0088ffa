import type { Host } from "@faultline/plugin";
import type { Event, Frame } from "@faultline/proto";
import type { Tables } from "../tables.ts";
import { nameOf, urlsOf } from "./file-urls.ts";
import { addressOfFrame } from "./frames.ts";
import type { Uploads } from "./uploads-of.ts";
import { verdicts, type Unmapped } from "./verdicts.ts";

/** Files of a release among which the nearest to an address is looked for. */
const comparedFiles = 5_000;

/** Why no upload has the file of a frame. */
export async function unmappedOf(
  { database }: Host,
  parts: { event: Event; frame: Frame; dist: string; debugId: string | undefined; uploads: Uploads },
): Promise<Unmapped> {
  const { event, frame, dist, debugId, uploads } = parts;
  if (uploads.arePending) return verdicts.pending();
  if (uploads.failure !== undefined) return verdicts.bundleError(uploads.failure);
  if (debugId !== undefined) return verdicts.idUnknown(debugId);
  const { release, projectId, sdk } = event;
  if (release === "")
    return isTooOld(sdk?.name, sdk?.version) ? verdicts.sdkTooOld(sdk?.version ?? "") : verdicts.notInjected();
  const read = database.read<Tables>();
  const bundles = await read
    .selectFrom("source_bundle")
    .select("dist")
    .distinct()
    .where("project_id", "=", projectId)
    .where("release", "=", release)
    .execute();
  if (bundles.length === 0) return verdicts.releaseUnknown(release);
  const dists = bundles.map((bundle) => bundle.dist);
  if (!dists.includes(dist)) return verdicts.wrongDist(dist, dists);
  const files = await read
    .selectFrom("source_artifact as artifact")
    .innerJoin("source_bundle as bundle", "bundle.id", "artifact.bundle_id")
    .select("artifact.url")
    .where("artifact.project_id", "=", projectId)
    .where("bundle.release", "=", release)
    .where("bundle.dist", "=", dist)
    .limit(comparedFiles)
    .execute();
  const address = addressOfFrame(frame);
  const nearest = files.find(({ url }) => nameOf(url) === nameOf(address));
  return verdicts.urlMismatch(urlsOf(address).at(-1) ?? address, nearest?.url);
}

/** Whether the SDK is one for browsers that is older than debug ids, 7.56. */
function isTooOld(name = "", version = ""): boolean {
  if (!name.startsWith("sentry.javascript.")) return false;
  const [, major = "", minor = ""] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  return major !== "" && (Number(major) < 7 || (Number(major) === 7 && Number(minor) < 56));
}
