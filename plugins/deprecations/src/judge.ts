import type { RestRequest, Verdict } from "@faultline/plugin";
import { DeprecationState } from "@faultline/proto";
import { describe, notServed } from "./describe.ts";
import type { NoticeRow } from "./notices.ts";
import { monthOf, releasedAt } from "./release.ts";
import { isAddressed } from "./request-form.ts";
import { endsAt, isRefused, stateOf, type Platform } from "./state.ts";

const gravity = { gone: 3, refused: 2, deprecated: 1 } as const;

/** The most severe verdict on a request; of equal ones, the first in the list. */
export function judge(rows: readonly NoticeRow[], request: RestRequest, platform: Platform): Verdict | undefined {
  return rows
    .flatMap((row) => verdictOf(row, request, platform) ?? [])
    .toSorted((one, other) => gravity[other.kind] - gravity[one.kind])[0];
}

function verdictOf(row: NoticeRow, { method, path, parameters }: RestRequest, platform: Platform): Verdict | undefined {
  const form = row.request;
  if (!form || !isAddressed(form, method, path) || form.uses?.(parameters) === false) return undefined;
  if (stateOf(row, platform) === DeprecationState.NOT_ANNOUNCED) return undefined;
  return {
    kind: isRefused(row, platform) ? form.meets : "deprecated",
    notice: describe(row, platform),
    message: sentence(row, platform),
    deprecatedAt: releasedAt(row.announcedIn),
    endsAt: endsAt(row, platform.isHosted),
  };
}

/**
 * Such as "Offset pagination of GET /users is removed as of release 17.0. Use keyset pagination instead." Warns when
 * the replacement is not part of this service.
 */
function sentence(row: NoticeRow, platform: Platform): string {
  const { change, endOfSupportIn, removedIn } = row;
  const claim = change.replace(/\.$/, "");
  const removal = removedIn === "unnamed" ? undefined : removedIn;
  const release = endOfSupportIn ?? removal;
  const when = release === undefined ? "" : ` as of release ${release}`;
  // On the hosted offering a removal shows before its release.
  const isEarly =
    platform.isHosted && release === removal && removal && monthOf(platform.release) === monthOf(removal) - 1;
  const early = isEarly ? ", and here already in the month before" : "";
  return `${claim}${when}${early}.${direction(row)}`;
}

function direction({ replacement, isServed, isSameInterface }: NoticeRow): string {
  const absence = ` This interface is ${notServed}.`;
  if (replacement === undefined) return isServed ? "" : absence;
  if (isSameInterface) return ` Use ${replacement}.${absence}`;
  return isServed ? ` Use ${replacement} instead.` : ` Use ${replacement} instead (${notServed}).`;
}
