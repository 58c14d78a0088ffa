import { pageActions, pageData } from "#lib/server/plugins/answers.ts";
import type { Actions, PageServerLoad, RequestEvent } from "./$types";

/** A page of a plugin. */
export const load: PageServerLoad = async (event) => {
  const { project, plugins } = await event.parent();
  const { tab: name, id: errorId } = event.params;
  return { content: await pageData(event, { slot: "errorTabs", name, project, plugins, errorId }) };
};

export const actions: Actions = pageActions("errorTabs", ({ params }: RequestEvent) => params.tab);
