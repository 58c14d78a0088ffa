import type { RestRequest, Verdict } from "@faultline/plugin";
import { DeprecationState } from "@faultline/proto";
import { describe } from "./describe.ts";
import type { NoticeRow } from "./notices.ts";
import { monthOf, releasedAt } from "./release.ts";
import { isAddressed } from "./request-form.ts";
import { endsAt, stateOf, type Platform } from "./state.ts";

const gravity = { gone: 3, refused: 2, deprecated: 1 } as const;

/** The gravest verdict on a request; of equal ones, that of the notice which comes first in the list. */
export function judge(rows: readonly NoticeRow[], request: RestRequest, platform: Platform): Verdict | undefined {
  return rows
    .flatMap((row) => verdictOf(row, request, platform) ?? [])
    .toSorted((one, other) => gravity[other.kind] - gravity[one.kind])[0];
}

function verdictOf(row: NoticeRow, { method, path, parameters }: RestRequest, platform: Platform): Verdict | undefined {
  const form = row.request;
  if (!form || !isAddressed(form, method, path) || form.uses?.(parameters) === false) return undefined;
  const state = stateOf(row, platform);
  if (state === DeprecationState.NOT_ANNOUNCED) return undefined;
  return {
    kind: state === DeprecationState.REMOVED ? form.meets : "deprecated",
    notice: describe(row, platform),
    message: sentence(row, platform),
    deprecatedAt: releasedAt(row.announcedIn),
    endsAt: endsAt(row, platform.isHosted),
  };
}

/** Such as "The parameters ref and sha are removed as of release 18.0. Use content_ref and dry_run_ref instead." */
function sentence({ change, replacement, removedIn }: NoticeRow, { release, isHosted }: Platform): string {
  const claim = change.replace(/\.$/, "");
  const hasRelease = removedIn !== undefined && removedIn !== "unnamed";
  const when = hasRelease ? ` as of release ${removedIn}` : "";
  // On the hosted offering a removal shows before its release does.
  const early =
    hasRelease && isHosted && monthOf(release) === monthOf(removedIn) - 1
      ? ", and here already in the month before"
      : "";
  const instead = replacement === undefined ? "" : ` Use ${replacement} instead.`;
  return `${claim}${when}${early}.${instead}`;
}
