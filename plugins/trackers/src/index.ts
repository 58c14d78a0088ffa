import { callsToReadErrors, contractVersion, type Host, type Plugin } from "@faultline/plugin";
import { issueService } from "./issues/issue-service.ts";
import { noteForIssues } from "./issues/note-transitions.ts";
import { trackerCalls } from "./issues/read-issue-text.ts";
import { workOnIssues } from "./issues/work.ts";
import { migrations } from "./migrations/migrations.ts";
import { movable } from "./movable.ts";
import * as issues from "./rest/issues.ts";
import * as trackerOperations from "./rest/trackers.ts";
import { trackerService } from "./tracker-service.ts";
import { trackerColumn } from "./tracker.ts";
import { trackerWebhooks } from "./webhook.ts";

/** How soon what is due begins. */
const lookEachMs = 500;

/** Issue trackers: keeps the issue of an error in GitLab, GitHub or Jira. `baseUrl` gives the address of the console, for links. */
export function trackers({ baseUrl }: { baseUrl: () => string }): Plugin {
  let started: Host | undefined;
  return {
    name: "trackers",
    contract: contractVersion,
    migrations,
    movable,
    sealedColumns: [trackerColumn],
    errorTransitions: noteForIssues,
    calls: [...callsToReadErrors, ...trackerCalls],
    services: [trackerService(baseUrl), issueService(baseUrl)],
    api: trackerWebhooks(() => started),
    rest: [...Object.values(trackerOperations), ...Object.values(issues)],
    async start(host: Host) {
      started = host;
      const work = (signal: AbortSignal) => workOnIssues({ host, baseUrl }, signal);
      host.scheduler.every(lookEachMs, "work on issues", work, { alone: true });
    },
  };
}
