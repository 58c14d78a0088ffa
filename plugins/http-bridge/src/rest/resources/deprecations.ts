import { create } from "@bufbuild/protobuf";
import { DeprecationArea, DeprecationState, ListDeprecationsRequestSchema, type Deprecation } from "@faultline/proto";
import { isoDay } from "../iso-time.ts";
import { choiceParam, textParam } from "../params.ts";
import type { Operation } from "../rest.ts";

const areas = {
  rest: DeprecationArea.REST,
  graphql: DeprecationArea.GRAPHQL,
  external_system: DeprecationArea.EXTERNAL_SYSTEM,
} as const;

const states: Readonly<Record<DeprecationState, string>> = {
  [DeprecationState.UNSPECIFIED]: "",
  [DeprecationState.NOT_ANNOUNCED]: "not_announced",
  [DeprecationState.DEPRECATED]: "deprecated",
  [DeprecationState.UNSUPPORTED]: "unsupported",
  [DeprecationState.REMOVED]: "removed",
  [DeprecationState.ADDED]: "added",
};

/** Every notice of deprecation with its state at a release of the platform, the next removal first. They do not page. */
export const listDeprecations: Operation = async ({ visit, call, params }) => {
  const area = choiceParam(params, "area", ["rest", "graphql", "external_system"]);
  const request = create(ListDeprecationsRequestSchema, {
    release: textParam(params, "release") ?? "",
    touchedIn: textParam(params, "touched_in") ?? "",
    ...(area && { area: areas[area] }),
  });
  const { deprecations = [], release } = await visit.host.core.deprecations.listDeprecations(request, call);
  return {
    status: 200,
    body: { release, deprecations: deprecations.map((notice) => noticeBody(notice as Deprecation)) },
  };
};

function noticeBody(notice: Deprecation): object {
  return {
    id: notice.deprecationId,
    area: Object.entries(areas).find(([, area]) => area === notice.area)?.[0],
    subject: notice.subject,
    change: notice.change,
    replacement: notice.replacement || null,
    announced_in: notice.announcedIn,
    announced_on: isoDay(notice.announcedTime),
    end_of_support_in: notice.endOfSupportIn || null,
    removed_in: notice.removedIn || null,
    removed_on: isoDay(notice.removalTime),
    breaking_change: notice.isBreaking,
    state: states[notice.state],
  };
}
