import { Backend, NotificationTrigger as Trigger } from "@faultline/proto";

/** Those about the project and not about one of its errors. */
const ofProjects: ReadonlySet<Trigger> = new Set([
  Trigger.REFUSED,
  Trigger.QUOTA_NEAR,
  Trigger.QUOTA_REACHED,
  Trigger.BACKEND_FAILING,
  Trigger.CHANNEL_FAILING,
]);

export const isAboutProject = (trigger: Trigger): boolean => ofProjects.has(trigger);

/** Those that last, and are reported at their beginning and their end instead of again and again. */
export const isEpisode = (trigger: Trigger): boolean =>
  trigger === Trigger.SPIKE || trigger === Trigger.BACKEND_FAILING;

/** Those made by one event, so that a filter is about this event. */
export const isMadeByEvent = (trigger: Trigger): boolean =>
  trigger === Trigger.CREATED || trigger === Trigger.REOPENED || trigger === Trigger.RELEASE;

/** All of them, in the order in which forms show them. */
export const allTriggers: readonly Trigger[] = [
  Trigger.CREATED,
  Trigger.REOPENED,
  Trigger.SPIKE,
  Trigger.MILESTONE,
  Trigger.RELEASE,
  Trigger.STATUS,
  Trigger.REFUSED,
  Trigger.QUOTA_NEAR,
  Trigger.QUOTA_REACHED,
  Trigger.BACKEND_FAILING,
  Trigger.CHANNEL_FAILING,
];

const elsewhere = "The project's events go to an external system, which does not report them.";

const notExternal: Readonly<Partial<Record<Trigger, string>>> = {
  [Trigger.REOPENED]:
    "External systems do not report their changes to Faultline. It checks for new errors and counts once a minute.",
  [Trigger.RELEASE]: "The external system's list does not name the releases of new errors.",
  [Trigger.REFUSED]: elsewhere,
  [Trigger.QUOTA_NEAR]: elsewhere,
  [Trigger.QUOTA_REACHED]: elsewhere,
};

/** Why a project cannot have a trigger, in a sentence; empty: it can. */
export function unavailableBecause(trigger: Trigger, backend: Backend): string {
  if (backend === Backend.EXTERNAL) return notExternal[trigger] ?? "";
  return trigger === Trigger.BACKEND_FAILING && backend === Backend.INTEGRATED
    ? "The project's errors are stored here, not in an external system."
    : "";
}
