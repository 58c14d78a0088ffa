import { outcomeWords } from "#lib/ingestion/outcome-words.ts";
import { action, actionOrDown } from "#lib/server/action.ts";
import { refusedInPlace } from "#lib/server/refused-in-place.ts";
import type { Api } from "#lib/server/trpc/caller.ts";
import type { Actions, PageServerLoad } from "./$types";

const hourMs = 3_600_000;

export const load: PageServerLoad = async ({ locals: { api } }) => {
  const [{ instance }, { health }, { mail }] = await Promise.all([
    api.instance.getInstance({}),
    api.instance.getHealth({}),
    api.notificationMail.getMail({}),
  ]);
  if (instance === undefined || health === undefined || mail === undefined)
    throw new Error("The core returned nothing about itself.");
  // The running hour is the last reported hour.
  const hours = health.eventsPerHour.length;
  const first = (Math.floor(Date.now() / hourMs) - hours + 1) * hourMs;
  return {
    instance,
    health,
    mail,
    // The words are large, and no script of the page needs them.
    refused: health.refusedProjects.map(({ projectPath, quantity, reason }) => ({
      projectPath,
      quantity: Number(quantity),
      reason: outcomeWords({ kind: "OUTCOME_KIND_REFUSED", reason }).reason,
    })),
    letters: health.queue && (await deadLetters(api)),
    startTime: new Date(first).toISOString(),
  };
};

/** Null if the queue cannot be asked. */
async function deadLetters(api: Api) {
  const { answer } = await refusedInPlace(api.instance.listDeadLetters({ withoutProject: true }));
  return answer && { items: answer.deadLetters, count: Number(answer.totalCount) };
}

export const actions: Actions = {
  replay: async ({ locals }) => {
    return actionOrDown(
      async () => {
        const { acceptedCount, failedCount, leftCount } = await locals.api.instance.replayDeadLetters({});
        const done = { stored: 0, accepted: acceptedCount, failed: failedCount, left: Number(leftCount) };
        return { act: "replay" as const, ...done };
      },
      { act: "refused" as const },
    );
  },
  delete: async ({ locals }) => {
    return actionOrDown(
      async () => {
        const { deletedCount } = await locals.api.instance.deleteDeadLetters({ withoutProject: true });
        return { act: "delete" as const, deleted: Number(deletedCount) };
      },
      { act: "refused" as const },
    );
  },
  testMail: ({ locals }) =>
    action(
      async () => {
        const { accepted, recipient, answer } = await locals.api.notificationMail.sendTestMail({});
        return { act: "testMail" as const, accepted, recipient, answer };
      },
      { act: "testMail" as const },
    ),
  rotate: async ({ locals }) => {
    return action(
      async () => {
        const { waitingCount } = await locals.api.instance.rotateEncryptionKey({});
        return { act: "rotate" as const, waitingCount };
      },
      { act: "notRotated" as const },
    );
  },
};
