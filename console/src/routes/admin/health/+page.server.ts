import { fail } from "@sveltejs/kit";
import { refusedAction } from "#lib/server/refused-action.ts";
import type { Actions, PageServerLoad } from "./$types";

const hourMs = 3_600_000;

export const load: PageServerLoad = async ({ locals: { api } }) => {
  const [{ instance }, { health }] = await Promise.all([api.instance.get({}), api.instance.health({})]);
  if (instance === undefined || health === undefined) throw new Error("The core told nothing about itself.");
  // The running hour is the last one of those told.
  const hours = health.eventsPerHour.length;
  const first = (Math.floor(Date.now() / hourMs) - hours + 1) * hourMs;
  return { instance, health, startTime: new Date(first).toISOString() };
};

export const actions: Actions = {
  rotate: async ({ locals }) => {
    try {
      const { waitingCount } = await locals.api.instance.rotateEncryptionKey({});
      return { waitingCount };
    } catch (error) {
      const { status, message } = refusedAction(error);
      return fail(status, { message });
    }
  },
};
