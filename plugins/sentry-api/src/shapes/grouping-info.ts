import {
  GroupingPartKind,
  GroupingPartKindSchema,
  type GroupingExplanation,
  type GroupingPart,
} from "@faultline/proto";

/**
 * Why an event is in its issue, as variants by name. The original has a variant for each way of grouping; here there is
 * a single variant. `faultline` holds fields that Sentry does not have.
 */
export function groupingInfoShape(explanation: GroupingExplanation): object {
  const { hash, version, parts, otherPartCount, note } = explanation;
  const counted = parts.filter((part) => part.counted);
  const [key, type] = variantOf(counted);
  const description = descriptionOf(counted);
  const fingerprint = counted.filter(({ kind }) => kind === GroupingPartKind.FINGERPRINT).map(({ text }) => text);
  return {
    [key]: {
      key,
      type,
      hash,
      hashMismatch: note !== "",
      description,
      contributes: true,
      hint: note || null,
      component: { ...componentOf(key, key), name: description, contributes: true, values: parts.map(partShape) },
      config: { id: `faultline:${version}` },
      ...(fingerprint.length > 0 && { values: fingerprint, client_values: fingerprint }),
      faultline: { otherParts: otherPartCount },
    },
  };
}

function variantOf(counted: readonly GroupingPart[]): readonly [key: string, type: string] {
  const has = (kind: GroupingPartKind) => counted.some((part) => part.kind === kind);
  if (has(GroupingPartKind.FINGERPRINT)) return ["custom_fingerprint", "custom-fingerprint"];
  if (has(GroupingPartKind.RULE)) return ["built_in_fingerprint", "built-in-fingerprint"];
  return has(GroupingPartKind.FRAME) ? ["app", "component"] : ["default", "component"];
}

function descriptionOf(counted: readonly GroupingPart[]): string {
  const has = (kind: GroupingPartKind) => counted.some((part) => part.kind === kind);
  if (has(GroupingPartKind.FINGERPRINT)) return "custom fingerprint";
  if (has(GroupingPartKind.RULE)) return "built-in fingerprint";
  const what = has(GroupingPartKind.TYPE) ? "exception" : has(GroupingPartKind.MESSAGE) ? "message" : "";
  return [what, has(GroupingPartKind.FRAME) ? "stack-trace" : ""].filter((word) => word !== "").join(" ") || "level";
}

function partShape({ kind, text, counted, countedAs, reason }: GroupingPart): object {
  const name = GroupingPartKindSchema.value[kind]?.localName.toLowerCase() ?? "";
  return {
    ...componentOf(name, name),
    contributes: counted,
    hint: reason,
    values: [countedAs || text],
    faultline: { text },
  };
}

const componentOf = (id: string, name: string) => ({ id, name, contributes: true, hint: null as string | null });
