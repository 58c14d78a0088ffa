import { error } from "@sveltejs/kit";
import type { Capability, Project } from "#lib/messages.ts";

/** Shows a settings page only to people who may change the settings; others see the people to ask. */
export function settingsNeed(project: Project, capability: Capability | undefined): void {
  if (capability?.allowed !== false) return;
  const message = `You need at least the Maintainer role in ${project.path} to change these settings.`;
  error(403, message, { reason: "FORBIDDEN" });
}
