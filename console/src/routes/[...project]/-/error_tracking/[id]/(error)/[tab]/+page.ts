import { pageComponent } from "#lib/plugins/page-component.ts";
import type { PageLoad } from "./$types";

export const load: PageLoad = async ({ data, params }) => ({
  ...data,
  component: await pageComponent("errorTabs", params.tab),
});
