import { refusedInPlace } from "#lib/server/refused-in-place.ts";
import type { PageServerLoad } from "./$types";

export const load: PageServerLoad = async ({ parent, url, locals: { api } }) => {
  const { project } = await parent();
  const cursor = url.searchParams.get("cursor") ?? "";
  const list = await refusedInPlace(
    api.errors.listFeedback({ projectId: project.projectId, pageSize: 50, pageToken: cursor }),
  );
  return {
    cursor,
    feedback: list.answer?.feedback ?? null,
    nextPageToken: list.answer?.nextPageToken ?? "",
    refusal: list.refusal,
  };
};
