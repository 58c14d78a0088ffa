import type { HttpAnswer, HttpCall } from "@faultline/plugin";
import { detail, managed } from "./answers.ts";

// Releases come into being by events, sessions and uploads: there is nothing to create. These calls are answered as Sentry's
// tools expect, as otherwise builds that run today would fail; commits and deployments are not recorded (docs/source-maps.md).

/** `POST .../releases/`: the release of the body. */
export async function createRelease(call: HttpCall): Promise<HttpAnswer> {
  await checkToken(call);
  const { version } = call.body;
  if (typeof version !== "string" || version === "") return detail(400, "Name the release: `version` is missing.");
  return managed(releaseOf(call, version), 201);
}

/** `GET` and `PUT .../releases/:version/`. */
export async function readRelease(call: HttpCall): Promise<HttpAnswer> {
  await checkToken(call);
  return managed(releaseOf(call, call.path["version"] ?? ""));
}

/** `POST .../releases/:version/deploys/`: the deployment of the body. */
export async function createDeploy(call: HttpCall): Promise<HttpAnswer> {
  await checkToken(call);
  const { environment, name = null, url = null, dateStarted = null, dateFinished = null } = call.body;
  if (typeof environment !== "string" || environment === "")
    return detail(400, "Name the environment of the deployment.");
  return managed({ id: "0", environment, name, url, dateStarted, dateFinished }, 201);
}

/** `GET .../repos/`, `.../releases/` and `.../deploys/`: none are known. */
export async function listNone(call: HttpCall): Promise<HttpAnswer> {
  await checkToken(call);
  return managed([]);
}

/** `GET .../releases/:version/previous-with-commits/`: none has commits. */
export async function readPreviousRelease(call: HttpCall): Promise<HttpAnswer> {
  await checkToken(call);
  return managed({});
}

/** Refuses a token that may not upload. */
const checkToken = (call: HttpCall) => call.core.sourceMaps.getUploadLimits({}, call);

function releaseOf({ body, path }: HttpCall, version: string): object {
  const { projects, url = null, ref = null, dateStarted = null, dateReleased = null } = body;
  const named = [
    ...(Array.isArray(projects) ? projects.map(String) : []),
    ...(path["project"] ? [path["project"]] : []),
  ];
  return {
    version,
    url,
    ref,
    dateStarted,
    dateReleased,
    dateCreated: new Date().toISOString(),
    newGroups: 0,
    lastEvent: null,
    projects: named.map((slug) => ({ slug, name: slug })),
  };
}
