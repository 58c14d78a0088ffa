import { saveLimits } from "#lib/server/save-limits.ts";
import type { Actions, PageServerLoad } from "./$types";

export const load: PageServerLoad = async ({ locals: { api } }) => {
  const [{ defaultQuota }, { quotas, totalKeptBytes, totalCount }] = await Promise.all([
    api.quotas.getDefaultQuota({}),
    api.quotas.listQuotas({}),
  ]);
  if (defaultQuota === undefined) throw new Error("The core returned no default limits.");
  return { defaults: defaultQuota, quotas, totalKeptBytes, totalCount };
};

export const actions: Actions = {
  limits: async ({ request, locals }) =>
    saveLimits(await request.formData(), ({ resetDay, resetKept, ...limits }) =>
      locals.api.quotas.updateDefaultQuota({ ...limits, resetDayLimit: resetDay, resetKeptLimit: resetKept }),
    ),
};
