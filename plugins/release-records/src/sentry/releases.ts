import { ServiceError, type HttpAnswer, type HttpCall } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { answered, managed } from "./answers.ts";
import { answerReleases, counted } from "./list-releases.ts";
import {
  notRecorded,
  projectsListed,
  projectsRecording,
  unlessUploading,
  withSlug,
  type SlugForms,
} from "./named-projects.ts";
import { commitForm, releaseForm } from "./release-form.ts";

/** The calls of Sentry's tools that read releases, or delete them. */
export const releaseCalls = (forms: SlugForms) => ({
  /** `GET .../releases/`: those of the projects that it names, or of the organization. */
  list: (call: HttpCall) => answered(async () => answerReleases(call, await projectsListed(call, forms))),

  /** `GET .../releases/:version/`. A token for uploads sees that it is recorded, and no more. */
  read: (call: HttpCall) =>
    answered(async () => {
      const version = call.path["version"] ?? "";
      const { core, path } = call;
      const projects = await projectsRecording(call, { version, slugs: [] }, forms);
      const records = await Promise.all(
        projects.map(({ key }) => unlessUploading(core.releaseRecords.getReleaseRecord({ ...key, version }, call))),
      ).catch(asNotRecorded(version));
      const [first] = records;
      if (first?.releaseRecord) {
        const named = await Promise.all(projects.map((project) => withSlug(call, project, forms)));
        return managed(releaseForm(first.releaseRecord, await counted(call, { record: { version }, projects: named })));
      }
      const { projects: recording } = await core.releaseRecords.listRecordingProjects({ version }, call);
      const known = recording.filter((one) => {
        const slugs = forms.slugsOf(one.path);
        const isNamed =
          path["project"] === undefined || [slugs.project, String(one.projectId)].includes(path["project"]);
        return isNamed && slugs.organization.toLowerCase() === path["organization"]?.toLowerCase();
      });
      if (known[0] === undefined) throw notRecorded(version);
      const slugs = known.map((one) => ({ slug: forms.slugsOf(one.path).project }));
      return managed(releaseForm({ version, createdTime: known[0].createdTime }, slugs));
    }),

  /** `DELETE .../releases/:version/`. */
  remove: (call: HttpCall) =>
    answered(async () => {
      const version = call.path["version"] ?? "";
      const projects = await projectsRecording(call, { version, slugs: [] }, forms);
      for (const { key } of projects) {
        await call.core.releaseRecords.deleteReleaseRecord({ ...key, version }, call).catch(asNotRecorded(version));
      }
      return { status: 204 };
    }),

  /** `GET .../releases/:version/commits/`: the newest 100. */
  commits: (call: HttpCall) =>
    answered(async () => {
      const version = call.path["version"] ?? "";
      const [project] = await projectsRecording(call, { version, slugs: [] }, forms);
      const asked = { ...project?.key, version, pageSize: 100 };
      const { commits } = await call.core.releaseRecords.listCommits(asked, call).catch(asNotRecorded(version));
      return managed(commits.map(commitForm));
    }),

  /** `GET .../releases/:version/previous-with-commits/`: the release after whose last commit those of this one begin. */
  previous: (call: HttpCall) =>
    answered(async () => {
      const version = call.path["version"] ?? "";
      const [project] = await projectsRecording(call, { version, slugs: [] }, forms);
      const found = await call.core.releaseRecords.getPreviousCommit({ ...project?.key, version }, call);
      if (found.version === "") return managed({});
      const lastCommit = { id: found.commitId, repository: { name: found.repository } };
      return managed({ ...releaseForm({ version: found.version, createdTime: found.createdTime }, []), lastCommit });
    }),
});

/** `GET .../repos/`: none is known, so that tools read the commits of the checkout they run in. */
export async function listRepositories(call: HttpCall): Promise<HttpAnswer> {
  await call.core.sourceMaps.getUploadLimits({}, call); // refuses a wrong token
  return managed([]);
}

const asNotRecorded =
  (version: string) =>
  (refusal: unknown): never => {
    const isUnknown = refusal instanceof ServiceError && refusal.reason === ErrorReason.RELEASE_RECORD_NOT_FOUND;
    throw isUnknown ? notRecorded(version) : refusal;
  };
