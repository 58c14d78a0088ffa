import { defineParams } from "@sveltejs/kit/params";

/** SvelteKit also loads this file without Vite, so it cannot ask for the pages that there are. */
export const params = defineParams({
  /** The name of a page that a plugin brings to a project, where the id of an error may be too. */
  pageName: (text) => (/^[a-z][a-z_]*$/.test(text) ? text : undefined),
});
