import type { GroupingPart } from "#lib/messages.ts";

/** Parts of the same kind with the same reason. */
export interface PartGroup {
  /** Such as "Frames". */
  readonly name: string;
  readonly reason: string;
  readonly parts: readonly GroupingPart[];
}

const names: Readonly<Record<GroupingPart["kind"], readonly [one: string, several: string]>> = {
  GROUPING_PART_KIND_UNSPECIFIED: ["Part", "Parts"],
  GROUPING_PART_KIND_FINGERPRINT: ["Fingerprint", "Fingerprint"],
  GROUPING_PART_KIND_RULE: ["Rule", "Rules"],
  GROUPING_PART_KIND_PLATFORM: ["Platform", "Platforms"],
  GROUPING_PART_KIND_EXCEPTION: ["Exception", "Exceptions"],
  GROUPING_PART_KIND_TYPE: ["Type", "Types"],
  GROUPING_PART_KIND_FRAME: ["Frame", "Frames"],
  GROUPING_PART_KIND_LINE: ["Source line", "Source lines"],
  GROUPING_PART_KIND_VALUE: ["Text", "Texts"],
  GROUPING_PART_KIND_MESSAGE: ["Message", "Messages"],
  GROUPING_PART_KIND_LEVEL: ["Level", "Levels"],
};

/**
 * Groups parts with the same kind and reason, so that each reason appears once. Only neighbors, because the order of
 * parts counts.
 */
export function partGroups(parts: readonly GroupingPart[]): readonly PartGroup[] {
  const groups: GroupingPart[][] = [];
  for (const part of parts) {
    const last = groups.at(-1);
    if (last?.[0]?.kind === part.kind && last[0].reason === part.reason) last.push(part);
    else groups.push([part]);
  }
  return groups.map((group) => {
    const [first] = group;
    const [one, several] = names[first?.kind ?? "GROUPING_PART_KIND_UNSPECIFIED"];
    return { name: group.length === 1 ? one : several, reason: first?.reason ?? "", parts: group };
  });
}

/** Parts that did not count. Their order has no meaning, so parts with the same reason are grouped. */
export function leftOutGroups(parts: readonly GroupingPart[]): readonly PartGroup[] {
  return [...Map.groupBy(parts, ({ kind, reason }) => `${kind} ${reason}`).values()].flatMap(partGroups);
}
