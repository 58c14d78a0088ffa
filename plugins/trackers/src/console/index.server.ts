import { redirect } from "@sveltejs/kit";
import { givenFields } from "@faultline/console/components/given-fields.ts";
import { route } from "@faultline/console/navigation/route.ts";
import type { ActionCall, LoadCall, ServerPart } from "@faultline/console/plugin.server";
import { action, actionOrDown } from "@faultline/console/server/action.ts";

/** Settings > Issue trackers. */
const trackers = {
  async load({ api, project: { projectId }, url }: LoadCall) {
    const [{ kinds }, { trackers: all }] = await Promise.all([
      api.trackers.listTrackerKinds({}),
      api.trackers.listTrackers({ projectId }),
    ]);
    const changing = all.find(({ trackerId }) => String(trackerId) === url.searchParams.get("change")) ?? null;
    const kindName = changing?.kind ?? url.searchParams.get("add");
    return { kinds, trackers: all, changing, chosen: kinds.find(({ kind }) => kind === kindName) ?? null };
  },
  actions: {
    async add({ api, projectPath, form }: ActionCall) {
      const { given, typed } = givenTracker(form);
      return action(
        async () => {
          const kind = String(form.get("kind") ?? "");
          const { tracker, webhookSecret } = await api.trackers.createTracker({ projectPath, kind, ...given });
          const done = `${tracker?.name ?? given.name} responded and was added.`;
          return { done, webhook: { url: tracker?.webhookUrl ?? "", secret: webhookSecret } };
        },
        { act: "given" as const, name: given.name, typed },
      );
    },
    async change({ api, projectPath, form }: ActionCall) {
      const { given, typed } = givenTracker(form);
      return action(
        async () => {
          const trackerId = Number(form.get("id"));
          const { tracker } = await api.trackers.updateTracker({ projectPath, trackerId, ...given });
          return { done: `${tracker?.name ?? given.name} responded and was changed.` };
        },
        { act: "given" as const, name: given.name, typed },
      );
    },
    rotate: async ({ api, projectPath, form }: ActionCall) =>
      action(async () => {
        const trackerId = Number(form.get("tracker_id"));
        const asked = { projectPath, trackerId, rotateWebhookSecret: true };
        const { tracker, webhookSecret } = await api.trackers.updateTracker(asked);
        const done = `The webhook of ${tracker?.name ?? ""} has a new secret. The old secret no longer works.`;
        return { done, webhook: { url: tracker?.webhookUrl ?? "", secret: webhookSecret } };
      }),
    remove: async ({ api, projectPath, form }: ActionCall) =>
      action(async () => {
        const trackerId = Number(form.get("tracker_id"));
        const { tracker } = await api.trackers.deleteTracker({ projectPath, trackerId });
        return { done: `${tracker?.name ?? ""} was deleted. Its issues are not changed.` };
      }),
  },
};

/** The values of a tracker's form; the page shows them again if the tracker is refused. */
function givenTracker(form: FormData) {
  const { all: fields, typed } = givenFields(form);
  return { given: { name: String(form.get("name") ?? ""), fields, onlyComments: form.has("only_comments") }, typed };
}

/** The page on which people create, link and unlink the issue of an error. Each action returns to the error. */
const issue = {
  load: ({ api, project: { projectId }, errorId }: LoadCall) =>
    api.trackerIssues.getTrackerIssue({ projectId, errorId }),
  actions: {
    create: async ({ api, projectPath, errorId, form }: ActionCall) =>
      actionOrDown(async () => {
        const trackerId = Number(form.get("tracker_id"));
        const confidential = form.has("confidential");
        await api.trackerIssues.createTrackerIssue({ projectPath, errorId, trackerId, confidential });
        redirect(303, route.errorDetails(projectPath, errorId));
      }),
    async link({ api, projectPath, errorId, form }: ActionCall) {
      const url = String(form.get("url") ?? "");
      return actionOrDown(
        async () => {
          await api.trackerIssues.linkTrackerIssue({ projectPath, errorId, url });
          redirect(303, route.errorDetails(projectPath, errorId));
        },
        { act: "link" as const, url },
      );
    },
    unlink: async ({ api, projectPath, errorId }: ActionCall) =>
      actionOrDown(async () => {
        await api.trackerIssues.unlinkTrackerIssue({ projectPath, errorId });
        redirect(303, route.errorDetails(projectPath, errorId));
      }),
  },
};

export default {
  plugin: "trackers",
  errorHeader: ({ api, projectPath, errorId }) => api.trackerIssues.getTrackerIssue({ projectPath, errorId }),
  errorTabs: { issue },
  settings: { trackers },
} satisfies ServerPart;
