import type { HttpAnswer, HttpCall } from "@faultline/plugin";
import { answered, managed, Refusal } from "./answers.ts";
import { notRecorded, projectsRecording, withSlug, type NamedProject, type SlugForms } from "./named-projects.ts";
import { commitsOf, readFields, slugsIn, textOf, timeOf } from "./read-body.ts";
import { releaseForm } from "./release-form.ts";

/** The calls of Sentry's tools that record releases. */
export const recordingCalls = (forms: SlugForms) => ({
  /** `POST .../releases/`: records the release of the body, perhaps with its commits. */
  create: (call: HttpCall) =>
    answered(async () => {
      const fields = await readFields(call);
      const version = textOf(fields["version"]);
      if (version.trim() === "") throw new Refusal(400, "Name the release: `version` is missing.");
      const projects = await projectsRecording(call, { version, slugs: slugsIn(fields["projects"]) }, forms);
      return put(call, { version, projects, fields, isNew: true }, forms);
    }),

  /** `PUT .../releases/:version/`: changes a release, sets its commits, or finishes it. */
  change: (call: HttpCall) =>
    answered(async () => {
      const fields = await readFields(call);
      const version = call.path["version"] ?? "";
      const projects = await projectsRecording(call, { version, slugs: slugsIn(fields["projects"]) }, forms);
      return put(call, { version, projects, fields, isNew: false }, forms);
    }),
});

async function put(
  call: HttpCall,
  {
    version,
    projects,
    fields,
    isNew,
  }: {
    readonly version: string;
    readonly projects: readonly NamedProject[];
    readonly fields: Readonly<Record<string, unknown>>;
    readonly isNew: boolean;
  },
  forms: SlugForms,
): Promise<HttpAnswer> {
  const { releaseRecords } = call.core;
  const commits = commitsOf(fields);
  const startedTime = timeOf("dateStarted", fields["dateStarted"]);
  const releasedTime = timeOf("dateReleased", fields["dateReleased"]);
  const request = {
    version,
    ...(textOf(fields["url"]) !== "" && { url: textOf(fields["url"]) }),
    ...(textOf(fields["ref"]) !== "" && { ref: textOf(fields["ref"]) }),
    ...(startedTime && { startedTime }),
    ...(releasedTime && { releasedTime }),
  };
  await call.spend(projects.length - 1);
  const answers = [];
  for (const { key } of projects) {
    const answer = await releaseRecords.recordRelease({ ...key, ...request }, call);
    const set = commits && (await releaseRecords.recordCommits({ ...key, version, commits }, call));
    answers.push({ ...answer, ...set });
  }
  const [first] = answers;
  if (!first?.releaseRecord) throw notRecorded(version);
  const status = !isNew ? 200 : answers.some(({ created }) => created) ? 201 : 208;
  const named = await Promise.all(projects.map((project) => withSlug(call, project, forms)));
  return managed(releaseForm(first.releaseRecord, named), status);
}
