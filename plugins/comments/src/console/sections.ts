import type { CommentBlockJson, CommentSpanJson } from "@faultline/proto";

/** Blocks shown as one element: a paragraph, a block of code, or all entries of a list. */
export interface Section {
  readonly kind: "paragraph" | "code" | "bullets" | "numbers";
  readonly quoted: boolean;
  /** The number of the first entry of a numbered list. */
  readonly start: number;
  readonly items: (readonly CommentSpanJson[])[];
}

const kinds: Readonly<Record<string, Section["kind"]>> = {
  KIND_CODE: "code",
  KIND_BULLET: "bullets",
  KIND_NUMBERED: "numbers",
};

/** Joins the entries of each list into a section. */
export function sectionsOf(blocks: readonly CommentBlockJson[]): readonly Section[] {
  const sections: Section[] = [];
  for (const { kind: name = "", quoted = false, number: start = 0, spans = [] } of blocks) {
    const kind = kinds[name] ?? "paragraph";
    const last = sections.at(-1);
    const continues = last?.kind === kind && last.quoted === quoted && (kind === "bullets" || kind === "numbers");
    if (continues) last.items.push(spans);
    else sections.push({ kind, quoted, start, items: [spans] });
  }
  return sections;
}
