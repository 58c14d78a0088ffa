import { invalidField } from "@faultline/plugin";
import { github } from "./github.ts";
import { gitlab } from "./gitlab.ts";
import { jira } from "./jira.ts";
import type { TrackerKind } from "../tracker-kind.ts";

/** All kinds of trackers, ordered by name. */
export const trackerKinds: readonly TrackerKind[] = [github, gitlab, jira];

/** The kind with this name; refuses unknown names with INVALID_FIELD. */
export function trackerKindNamed(name: string): TrackerKind {
  const found = trackerKinds.find(({ kind }) => kind === name);
  if (found) return found;
  const names = trackerKinds.map(({ kind }) => kind).join(", ");
  throw invalidField("kind", `This kind of tracker does not exist. Choose one of ${names}.`);
}
