import { action } from "#lib/server/action.ts";
import type { Actions, PageServerLoad } from "./$types";
import { givenFields } from "../integrations/given-fields.ts";

export const load: PageServerLoad = async ({ parent, locals, url }) => {
  const { project } = await parent();
  const [{ kinds }, { trackers }] = await Promise.all([
    locals.api.trackers.listTrackerKinds({}),
    locals.api.trackers.listTrackers({ projectId: project.projectId }),
  ]);
  const changing = trackers.find(({ trackerId }) => String(trackerId) === url.searchParams.get("change")) ?? null;
  const kindName = changing?.kind ?? url.searchParams.get("add");
  return { kinds, trackers, changing, chosen: kinds.find(({ kind }) => kind === kindName) ?? null };
};

export const actions: Actions = {
  add: async ({ request, locals, params }) => {
    const form = await request.formData();
    const text = (key: string) => String(form.get(key) ?? "");
    const { all: fields, typed } = givenFields(form);
    const given = { kind: text("kind"), name: text("name"), onlyComments: form.has("only_comments") };
    return action(
      async () => {
        const { tracker, webhookSecret } = await locals.api.trackers.createTracker({
          projectPath: params.project,
          ...given,
          fields,
        });
        const done = `${tracker?.name ?? given.name} responded and was added.`;
        return { done, webhook: { url: tracker?.webhookUrl ?? "", secret: webhookSecret } };
      },
      { act: "given" as const, name: given.name, typed },
    );
  },
  change: async ({ request, locals, params }) => {
    const form = await request.formData();
    const name = String(form.get("name") ?? "");
    const { all: fields, typed } = givenFields(form);
    return action(
      async () => {
        const { tracker } = await locals.api.trackers.updateTracker({
          projectPath: params.project,
          trackerId: Number(form.get("id")),
          name,
          fields,
          onlyComments: form.has("only_comments"),
        });
        return { done: `${tracker?.name ?? name} responded and was changed.` };
      },
      { act: "given" as const, name, typed },
    );
  },
  rotate: async ({ request, locals, params }) => {
    const trackerId = Number((await request.formData()).get("tracker_id"));
    return action(async () => {
      const { tracker, webhookSecret } = await locals.api.trackers.updateTracker({
        projectPath: params.project,
        trackerId,
        rotateWebhookSecret: true,
      });
      const done = `The webhook of ${tracker?.name ?? ""} has a new secret. The old secret no longer works.`;
      return { done, webhook: { url: tracker?.webhookUrl ?? "", secret: webhookSecret } };
    });
  },
  remove: async ({ request, locals, params }) => {
    const trackerId = Number((await request.formData()).get("tracker_id"));
    return action(async () => {
      const { tracker } = await locals.api.trackers.deleteTracker({ projectPath: params.project, trackerId });
      return { done: `${tracker?.name ?? ""} was deleted. Its issues are not changed.` };
    });
  },
};
