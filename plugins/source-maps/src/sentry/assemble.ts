import type { HttpAnswer, HttpCall } from "@faultline/plugin";
import { ArtifactBundleState as State, type AssembleArtifactBundleResponse } from "@faultline/proto";
import { detail, managed } from "./answers.ts";
import { projectKey, type ProjectPathOf } from "./project-key.ts";

/** Projects that one call may name; each gets the bundle. */
const mostProjects = 20;

/** The words of Sentry's tools for the states. */
export const states: Readonly<Record<State, string>> = {
  [State.UNSPECIFIED]: "error",
  [State.NOT_FOUND]: "not_found",
  [State.CREATED]: "created",
  [State.OK]: "ok",
  [State.ERROR]: "error",
};

/** What the answer for several projects is: the first of these that one of them has. */
const order = [State.NOT_FOUND, State.ERROR, State.CREATED, State.OK];

/** `POST .../artifactbundle/assemble/`: reads a bundle of chunks for the projects that it names. */
export const assembleBundle =
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
    // At once, as each waits up to 20 seconds and Sentry's clients give up after 30.
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

export const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");
