import type { DeprecationAreaJson, DeprecationStateJson } from "@faultline/proto";

interface AreaWords {
  /** The word in the address. */
  readonly key: string;
  readonly area: DeprecationAreaJson;
  readonly name: string;
}

export const areas: readonly AreaWords[] = [
  { key: "rest", area: "DEPRECATION_AREA_REST", name: "REST" },
  { key: "graphql", area: "DEPRECATION_AREA_GRAPHQL", name: "GraphQL" },
  { key: "external_system", area: "DEPRECATION_AREA_EXTERNAL_SYSTEM", name: "External system" },
];

interface StateWords {
  /** The word in the address. */
  readonly key: string;
  readonly state: DeprecationStateJson;
  readonly name: string;
  readonly glyph: string;
  /** The class of its badge, see controls.css. */
  readonly look: string;
}

export const states: readonly StateWords[] = [
  { key: "not_announced", state: "DEPRECATION_STATE_NOT_ANNOUNCED", name: "Not announced yet", glyph: "○", look: "" },
  { key: "deprecated", state: "DEPRECATION_STATE_DEPRECATED", name: "Deprecated", glyph: "△", look: "reopened" },
  { key: "unsupported", state: "DEPRECATION_STATE_UNSUPPORTED", name: "Unsupported", glyph: "◇", look: "reopened" },
  { key: "removed", state: "DEPRECATION_STATE_REMOVED", name: "Removed", glyph: "✕", look: "" },
  { key: "added", state: "DEPRECATION_STATE_ADDED", name: "Added", glyph: "+", look: "new" },
];

export const areaName = (area: DeprecationAreaJson) => areas.find((one) => one.area === area)?.name ?? "";

export const wordsOfState = (state: DeprecationStateJson) =>
  states.find((one) => one.state === state) ?? { name: "Unknown", glyph: "?", look: "" };
