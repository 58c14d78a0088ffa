import { error } from "@sveltejs/kit";
import { refusal } from "#lib/failures/refusal.server.ts";
import type { LayoutServerLoad } from "./$types";

/** All of Error Tracking depends on the project's Monitor feature (specification 2.1 and section 7). */
export const load: LayoutServerLoad = async ({ parent }) => {
  const { project } = await parent();
  if (project.monitorEnabled) return;
  const { status, message, reason } = refusal("MONITOR_DISABLED");
  error(status, message, { reason });
};
