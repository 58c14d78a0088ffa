import type { ClosedDoor } from "@faultline/plugin";
import { Backend } from "@faultline/proto";
import type { ProjectRow } from "../tables/project.ts";
import type { SettingsRow } from "../tables/settings.ts";
import { monitorOff, trackingOff } from "../projects/project-directory.ts";

const closed = (outcome: ClosedDoor["outcome"], why: string): ClosedDoor => ({
  outcome,
  message: `The DSN is right, but ${why}`,
});

const closedByMonitor = closed("monitor_off", monitorOff);
const closedByActive = closed("not_active", trackingOff.replace(/^E/, "e"));
const closedByBackend = closed(
  "external_backend",
  "this project reads its errors from an external system and does not accept events. Use a DSN of that system.",
);
const closedByOffering = closed(
  "not_offered",
  "the integrated backend is not offered here, so this project does not accept events. Use a DSN of its external system.",
);

/** The refusal of a disabled key. */
export const closedByKey = closed(
  "key_disabled",
  "this client key was disabled. Enable it on its page in Settings > Monitor, or use the DSN of another key.",
);

/** The refusal of a page from an origin that is not allowed. */
export const closedByOrigin = closed(
  "origin",
  "its client key does not allow this origin. Add the origin on the page of the key in Settings > Monitor.",
);

/** The reason why a project accepts no events; undefined if it accepts them. */
export function closedProject(
  project: ProjectRow,
  settings: SettingsRow | null,
  { integratedOffered }: { integratedOffered: boolean },
): ClosedDoor | undefined {
  if (!project.monitorEnabled) return closedByMonitor; // the whole feature depends on it (specification 2.1)
  if (!settings?.active) return integratedOffered ? closedByActive : closedByOffering;
  if (settings.backend !== Backend.INTEGRATED) return closedByBackend;
  return integratedOffered ? undefined : closedByOffering;
}
