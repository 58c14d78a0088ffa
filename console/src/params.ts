import { defineParams } from "@sveltejs/kit/params";

/** SvelteKit also loads this file without Vite, so it cannot ask for the existing pages. */
export const params = defineParams({
  /** The name of a plugin's project page, in the place of an error's id. */
  pageName: (text) => (/^[a-z][a-z_]*$/.test(text) ? text : undefined),
});
