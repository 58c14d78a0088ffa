import {
  contractVersion,
  invalidField,
  StartRefusal,
  type Deprecations,
  type Plugin,
  type DeprecationNotice,
  type RestRequest,
  type Verdict,
  timestamp,
  serve,
} from "@faultline/plugin";
import { operationsOf } from "@faultline/plugin/rest";
import { DeprecationState, DeprecationArea, DeprecationService } from "@faultline/proto";
import { notices, type NoticeRow, externalSystemVersion } from "./notices.ts";
import * as rest from "./rest.ts";
import { isRelease, monthOf, type Release, releasedAt, releasedBefore } from "./release.ts";
import { isAddressed } from "./request-form.ts";

/** The platform's rules of deprecation, at the release of this installation (specification section 9). */
export function deprecations({
  release,
  isHosted,
}: {
  /** Such as `18.0`. */
  release: string;
  /** On the hosted offering a removal may take effect in the month before the release (specification 9.2, rule 3). */
  isHosted: boolean;
}): Plugin & { readonly deprecations: Deprecations } {
  if (!isRelease(release))
    throw new StartRefusal(`There is no platform release ${release}. Name a release such as 18.0.`);
  const faults = faultsOf(notices);
  if (faults.length > 0) throw new StartRefusal(`The deprecation notices break their rules: ${faults.join("; ")}.`);
  const platform: Platform = { release, isHosted };

  const rules: Deprecations = {
    release,
    isRelease,
    notices(asked = release) {
      if (!isRelease(asked)) throw invalidField("release", "The release must look like 18.0.");
      return listNotices({ release: asked, isHosted });
    },
    concerns: (method, path) => notices.some(({ request }) => request && isAddressed(request, method, path)),
    verdict: (request) => judge(notices, request, platform),
    externalVersion: (version) => judgeExternalVersion(version, platform),
  };
  return {
    name: "deprecations",
    contract: contractVersion,
    deprecations: rules,
    services: [deprecationService(rules)],
    rest: operationsOf(rest),
  };
}

/** The faults of a list of notices, in words; empty if the list obeys specification 9.2. */
export function faultsOf(rows: readonly NoticeRow[]): string[] {
  const ids = new Set<string>();
  return rows.flatMap((row) => {
    const isRepeated = ids.has(row.id);
    ids.add(row.id);
    return [...(isRepeated ? ["its id is there twice"] : []), ...faultsOfOne(row)].map(
      (fault) => `${row.id}: ${fault}`,
    );
  });
}

function faultsOfOne({ id, announcedIn, endOfSupportIn, removedIn, isBreaking, change, request }: NoticeRow): string[] {
  const named = removedIn === "unnamed" ? undefined : removedIn;
  const releases = [announcedIn, endOfSupportIn, named].filter((release) => release !== undefined);
  const unknown = releases.filter((release: string) => !isRelease(release));
  if (unknown.length > 0) return unknown.map((release) => `${release} is not a release`);
  const faults: string[] = [];
  const fault = (isSo: boolean, words: string) => {
    if (isSo) faults.push(words);
  };
  fault(!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id), "its id is not lower-case words joined by -");
  fault(!change.endsWith("."), "its change is not a sentence");
  fault(!areInOrder(releases), "it is not announced, then unsupported, then removed");
  fault(isBreaking && removedIn === undefined, "it breaks callers and removes nothing");
  fault(request !== undefined && removedIn === undefined, "it judges requests and removes nothing");
  // Specification 9.2, rule 2.
  fault(
    isBreaking && named !== undefined && !named.endsWith(".0"),
    `it breaks callers in ${named}, which is not a major release`,
  );
  return faults;
}

function areInOrder(releases: readonly Release[]): boolean {
  const months = releases.map(monthOf);
  return months.every((month, index) => index === 0 || month >= (months[index - 1] ?? month));
}

/**
 * Every notice with its state on a platform: first notices about parts that still work, by the time of their removal,
 * then removed parts, the latest first, then new parts, then parts not announced yet.
 */
function listNotices(platform: Platform): DeprecationNotice[] {
  return notices
    .map((row) => ({ row, notice: describe(row, platform) }))
    .toSorted((one, other) => rank(one) - rank(other) || distance(one) - distance(other))
    .map(({ notice }) => notice);
}

interface Described {
  readonly row: NoticeRow;
  readonly notice: DeprecationNotice;
}

function rank({ notice }: Described): number {
  switch (notice.state) {
    case DeprecationState.DEPRECATED:
    case DeprecationState.UNSUPPORTED:
      return 0;
    case DeprecationState.REMOVED:
      return 1;
    case DeprecationState.ADDED:
      return 2;
    default:
      return 3;
  }
}

function distance({ row: { announcedIn, removedIn }, notice }: Described): number {
  const month = monthOf(removedIn === undefined || removedIn === "unnamed" ? announcedIn : removedIn);
  return notice.state === DeprecationState.REMOVED ? -month : month;
}

const lastDeprecated = [21, 4, 1] as const;
const firstSupported = [21, 5, 0] as const;

/**
 * Judges the version of a self-hosted external system that is to receive the installation's own failures (specification
 * 9.1); undefined if the version is not known. Projects that read their errors from such a system are not affected.
 */
function judgeExternalVersion(
  version: string | undefined,
  platform: Platform,
): { isSupported: boolean; notice: string } {
  const state = stateOf(externalSystemVersion, platform);
  if (version === undefined) return { isSupported: true, notice: noticeOfUnknown(state) };
  const parts = /^v?(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?$/.exec(version.trim())?.slice(1);
  if (!parts) throw invalidField("version", "The version of the external system must look like 21.5.0.");
  const asked = parts.map((part) => Number(part ?? 0));
  if (!isBefore(asked, firstSupported) || state === DeprecationState.NOT_ANNOUNCED) {
    return { isSupported: true, notice: "" };
  }

  const named = asked.join(".");
  const needs = "send the errors of this installation to version 21.5.0 or later";
  if (state === DeprecationState.REMOVED) {
    return {
      isSupported: false,
      notice: `Version ${named} of the external system is not supported: platform release ${platform.release} can only ${needs}. Upgrade the external system.`,
    };
  }
  const standing = isBefore(lastDeprecated, asked)
    ? "is later than the deprecated versions (21.4.1 and earlier) but still too old for later releases"
    : `is deprecated since platform release ${externalSystemVersion.announcedIn}, like all versions up to 21.4.1`;
  return {
    isSupported: true,
    notice: `Version ${named} of the external system ${standing}: from platform release ${externalSystemVersion.removedIn} on, it is only possible to ${needs}. Upgrade the external system before then.`,
  };
}

/** A system that hides its version may be cloud-hosted, so it is noted instead of refused. */
function noticeOfUnknown(state: DeprecationState): string {
  if (state === DeprecationState.NOT_ANNOUNCED) return "";
  return `The version of the external system is unknown: it did not report one when it was asked. If you host it yourself, enter its version: platform release ${externalSystemVersion.removedIn} and later can only send the errors of this installation to version 21.5.0 or later.`;
}

/** Compares calendar versions component by component. */
function isBefore(one: readonly number[], other: readonly number[]): boolean {
  const at = one.findIndex((part, index) => part !== other[index]);
  return at >= 0 && (one[at] ?? 0) < (other[at] ?? 0);
}

const gravity = { gone: 3, refused: 2, deprecated: 1 } as const;

/** The most severe verdict on a request; the first in the list if several are equally severe. */
function judge(rows: readonly NoticeRow[], request: RestRequest, platform: Platform): Verdict | undefined {
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
 * Such as "Offset pagination of GET /users is removed as of release 17.0. Use keyset pagination instead." Warns if the
 * replacement is not part of this service.
 */
function sentence(row: NoticeRow, platform: Platform): string {
  const { change, endOfSupportIn, removedIn } = row;
  const claim = change.replace(/\.$/, "");
  const removal = removedIn === "unnamed" ? undefined : removedIn;
  const release = endOfSupportIn ?? removal;
  const when = release === undefined ? "" : ` as of release ${release}`;
  // The hosted offering may remove a part before its release.
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

/** Describes a replacement that this service does not have. */
const notServed = "not part of this service";

/** A notice with its state on a platform. */
function describe(row: NoticeRow, platform: Platform): DeprecationNotice {
  const removedIn = row.removedIn === "unnamed" ? undefined : row.removedIn;
  return {
    deprecationId: row.id,
    area: row.area,
    subject: row.subject,
    change: row.change,
    replacement: replacementOf(row),
    announcedIn: row.announcedIn,
    endOfSupportIn: row.endOfSupportIn ?? "",
    removedIn: removedIn ?? "",
    isBreaking: row.isBreaking,
    state: stateOf(row, platform),
    announcedTime: timestamp(releasedAt(row.announcedIn)),
    ...(removedIn !== undefined && { removalTime: timestamp(releasedAt(removedIn)) }),
  };
}

function replacementOf({ replacement, isServed, isSameInterface }: NoticeRow): string {
  if (replacement === undefined) return "";
  return isServed || isSameInterface ? replacement : `${replacement} (${notServed})`;
}

/** The release of an installation, and whether it is the hosted offering. */
interface Platform {
  readonly release: Release;
  readonly isHosted: boolean;
}

/** The state of a notice (specification 9.2). */
function stateOf(row: NoticeRow, { release, isHosted }: Platform): DeprecationState {
  const month = monthOf(release);
  const { announcedIn, endOfSupportIn, removedIn } = row;
  if (month < monthOf(announcedIn)) return DeprecationState.NOT_ANNOUNCED;
  if (removedIn === undefined) return DeprecationState.ADDED;
  if (removedIn === "unnamed") return DeprecationState.REMOVED;
  // The month before a release begins with the previous release; the hosted offering may remove from then on.
  if (month >= monthOf(removedIn) - (isHosted ? 1 : 0)) return DeprecationState.REMOVED;
  if (endOfSupportIn !== undefined && month >= monthOf(endOfSupportIn)) return DeprecationState.UNSUPPORTED;
  return DeprecationState.DEPRECATED;
}

/** Whether requests that a notice concerns are refused. */
function isRefused(row: NoticeRow, platform: Platform): boolean {
  const state = stateOf(row, platform);
  return state === DeprecationState.UNSUPPORTED || state === DeprecationState.REMOVED;
}

/**
 * When requests begin to be refused, in milliseconds: at the end of support, otherwise at the removing release, or a
 * month before it on the hosted offering. Rule 3 of specification 9.2 is about removals, so the end of support is never
 * early.
 */
function endsAt({ endOfSupportIn, removedIn }: NoticeRow, isHosted: boolean): number | undefined {
  if (endOfSupportIn !== undefined) return releasedAt(endOfSupportIn);
  if (removedIn === undefined || removedIn === "unnamed") return undefined;
  return isHosted ? releasedBefore(removedIn) : releasedAt(removedIn);
}

/** Lists the removed parts of the platform's interface, and the parts to be removed (specification section 9). */
const deprecationService = (rules: Deprecations) =>
  serve(DeprecationService, () => ({
    async listDeprecations({ release, touchedIn, area }) {
      const asked = release === "" ? rules.release : release;
      if (touchedIn !== "" && !rules.isRelease(touchedIn)) {
        throw invalidField("touched_in", "The release in touched_in must look like 18.0.");
      }
      const listed = rules
        .notices(asked)
        .filter((notice) => touchedIn === "" || notice.announcedIn === touchedIn || notice.removedIn === touchedIn)
        .filter((notice) => area === DeprecationArea.UNSPECIFIED || notice.area === area);
      return { deprecations: listed, release: asked };
    },
  }));
