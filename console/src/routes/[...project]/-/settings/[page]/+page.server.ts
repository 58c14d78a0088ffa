import { pageActions, pageData } from "#lib/server/plugins/answers.ts";
import type { Actions, PageServerLoad, RequestEvent } from "./$types";

/** A page of a plugin. */
export const load: PageServerLoad = async (event) => {
  const { project, plugins } = await event.parent();
  const { page: name } = event.params;
  return { content: await pageData(event, { slot: "settings", name, project, plugins }) };
};

export const actions: Actions = pageActions("settings", ({ params }: RequestEvent) => params.page);
