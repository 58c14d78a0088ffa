import type { Case, Difference } from "../case.ts";
import { type Project, seen } from "../world.ts";

const noKeys = "Client keys belong to the integrated backend.";
const noWatching = "The external system does not announce changes. Pages check for changes each minute.";
const noFeedback = "The external system lists user feedback. Here, feedback is shown with its event.";
const noGrouping = "The external system groups its errors by its own rules. The reasons are shown there.";
const noReleases = "The external system does not offer release health.";

const noMatching = "The external system can only change selected errors. Select them page by page.";
const noDeleting =
  "Delete errors of an external system there: Faultline's token cannot delete them because it lacks event:admin.";

type Capabilities = NonNullable<Awaited<ReturnType<Project["capabilities"]>>>;
type Name = {
  [Key in keyof Capabilities]: Capabilities[Key] extends { allowed: boolean } | undefined ? Key : never;
}[keyof Capabilities];

/** Whether it can be done, and if not why. */
const capability = (name: Name & string, off?: string): Case => ({
  name: `the capability ${name}`,
  answer: "allowed",
  async observe(project) {
    const found = (await project.capabilities())?.[name];
    return typeof found === "object" && !found.allowed ? found.reason : "allowed";
  },
  ...(off && { differs: { faultline: because(off, off), sentry: because(off, off) } }),
});

/** A call that needs a capability. */
const call = (name: string, off: string, ask: (project: Project) => Promise<unknown>): Case => ({
  name,
  answer: "answered",
  observe: (project) => seen(ask(project), () => "answered"),
  differs: {
    faultline: because(off, "NOT_SUPPORTED_BY_BACKEND"),
    sentry: because(off, "NOT_SUPPORTED_BY_BACKEND"),
  },
});

function because(reason: string, answer: unknown): Difference {
  return { because: reason, answer };
}

export const capabilityCases: readonly Case[] = [
  capability("read"),
  capability("updateStatus"),
  capability("listEvents"),
  capability("affectedUsers"),
  capability("clientKeys", noKeys),
  capability("watch", noWatching),
  capability("releases", noReleases),
  capability("deleteErrors", noDeleting),
  capability("updateMatching", noMatching),
  capability("feedback", noFeedback),
  capability("explainGrouping", noGrouping),
  {
    name: "how long errors are kept",
    answer: 90,
    observe: async (project) => (await project.capabilities())?.retentionDays,
    differs: {
      faultline: because("the external system decides", 0),
      sentry: because("the external system decides", 0),
    },
  },
  call("changes are announced", noWatching, async ({ world: { client, projectId } }) => {
    const leave = new AbortController();
    const changes = client.errors.watchErrors({ projectId }, { ...client.auth, signal: leave.signal });
    // The first turn either refuses or waits for a change, which does not come here.
    const waited = new Promise((resolve) => setImmediate(resolve));
    const first = changes[Symbol.asyncIterator]().next();
    await Promise.race([first, waited.then(() => client.errors.listErrors({ projectId }, client.auth))]);
    leave.abort();
    await first.catch(() => undefined);
  }),
  call("deletions are listed", noDeleting, ({ world: { client, projectId } }) =>
    client.deletions.listDeletions({ projectId }, client.auth),
  ),
  call("discards are listed", noDeleting, ({ world: { client, projectId } }) =>
    client.deletions.listDiscards({ projectId }, client.auth),
  ),
  call("feedback is listed", noFeedback, ({ world: { client, projectId } }) =>
    client.errors.listFeedback({ projectId }, client.auth),
  ),
  call("releases are listed", noReleases, ({ world: { client, projectId } }) =>
    client.releases.listReleases({ projectId }, client.auth),
  ),
  call("sessions are counted", noReleases, ({ world: { client, projectId } }) =>
    client.releases.getSessionStats({ projectId }, client.auth),
  ),
];
