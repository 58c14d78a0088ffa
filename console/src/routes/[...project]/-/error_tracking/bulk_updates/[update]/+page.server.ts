import { error } from "@sveltejs/kit";
import { action } from "#lib/server/action.ts";
import type { Api } from "#lib/server/trpc/caller.ts";
import { refusalOfTrpc } from "#lib/server/trpc/procedures.ts";
import type { Actions, PageServerLoad } from "./$types";
import { canBeChanged, type LeftError } from "./left-words.ts";

export const load: PageServerLoad = async ({ parent, params, locals: { api } }) => {
  const { project } = await parent();
  const { bulkUpdate, left } = await leftOf(api, project.path, idOf(params.update));
  return { bulkUpdate, left };
};

export const actions: Actions = {
  /** Sets the status of the skipped errors that still exist. */
  default: ({ params, locals: { api } }) =>
    action(async () => {
      const { bulkUpdate, left } = await leftOf(api, params.project, idOf(params.update));
      const status = bulkUpdate.newStatus;
      const changes = left.flatMap(({ errorId, error: found }) =>
        canBeChanged(bulkUpdate, found) ? { errorId, status } : [],
      );
      if (changes.length === 0) return { status, count: 0 };
      const { errors } = await api.errors.updateErrors({ projectPath: params.project, changes });
      return { status, count: errors.length };
    }),
};

const notFound = () =>
  error(404, "This bulk update does not exist. Bulk updates are kept for a day.", { reason: "BULK_UPDATE_NOT_FOUND" });

/** The id in the address; any other text is not found. */
const idOf = (text: string) => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : notFound());

/** A bulk update, and the current state of the errors that it skipped. */
async function leftOf(api: Api, projectPath: string, bulkUpdateId: number) {
  const { bulkUpdate, leftErrors } = await api.bulkUpdates
    .getBulkUpdate({ projectPath, bulkUpdateId })
    .catch((refused: unknown) => {
      if (refusalOfTrpc(refused).reason === "BULK_UPDATE_NOT_FOUND") return notFound();
      throw refused;
    });
  if (bulkUpdate === undefined) return notFound();
  const errorIds = leftErrors.flatMap(({ errorId, deleted }) => (deleted ? [] : errorId));
  const { errors } = errorIds.length === 0 ? { errors: [] } : await api.errors.getErrors({ projectPath, errorIds });
  const left: LeftError[] = leftErrors.map(({ errorId }) => ({
    errorId,
    error: errors.find((one) => one.errorId === errorId),
  }));
  return { bulkUpdate, left };
}
