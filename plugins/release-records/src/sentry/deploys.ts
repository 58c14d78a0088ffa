import type { HttpCall } from "@faultline/plugin";
import { answered, managed, Refusal } from "./answers.ts";
import { projectsRecording, type SlugForms } from "./named-projects.ts";
import { slugsIn, textOf, timeOf } from "./read-body.ts";
import { deployForm } from "./release-form.ts";

/** The calls of Sentry's tools about deploys. */
export const deployCalls = (forms: SlugForms) => ({
  /** `GET .../releases/:version/deploys/`: the newest 100. */
  list: (call: HttpCall) =>
    answered(async () => {
      const version = call.path["version"] ?? "";
      const projects = await projectsRecording(call, { version, slugs: [] }, forms);
      const lists = await Promise.all(
        projects.map(({ key }) => call.core.releaseRecords.listDeploys({ ...key, version, pageSize: 100 }, call)),
      );
      return managed(lists.flatMap(({ deploys }) => deploys.map(deployForm)));
    }),

  /** `POST .../releases/:version/deploys/`: records the deploy of the body. */
  create: (call: HttpCall) =>
    answered(async () => {
      const { environment, name, url, dateStarted, dateFinished, projects: slugs } = call.body;
      const version = call.path["version"] ?? "";
      const projects = await projectsRecording(call, { version, slugs: slugsIn(slugs) }, forms);
      const startedTime = timeOf("dateStarted", dateStarted);
      const finishedTime = timeOf("dateFinished", dateFinished);
      const deploy = {
        version,
        environment: textOf(environment),
        name: textOf(name),
        url: textOf(url),
        ...(startedTime && { startedTime }),
        ...(finishedTime && { finishedTime }),
      };
      const answers = [];
      for (const { key } of projects) {
        answers.push(await call.core.releaseRecords.recordDeploy({ ...key, ...deploy }, call));
      }
      const [first] = answers;
      if (!first?.deploy) throw new Refusal(400, "Name the project: set --project, or SENTRY_PROJECT.");
      return managed(deployForm(first.deploy), answers.some(({ created }) => created) ? 201 : 208);
    }),
});
