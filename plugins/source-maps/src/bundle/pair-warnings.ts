import { quoted } from "./bundle-error.ts";
import type { PairFile } from "./pair-file.ts";

/** Warnings of one kind that are spelled out; a sentence counts the others. */
const maxOfKind = 10;

/** What will not work as expected in a bundle, as sentences for the person who uploaded it. */
export function pairWarnings({
  scripts,
  sourceOnly,
  mapOnly,
}: {
  readonly scripts: readonly PairFile[];
  readonly sourceOnly: readonly PairFile[];
  readonly mapOnly: readonly PairFile[];
}): readonly string[] {
  return [
    ...limited(scripts.filter(({ debugIds }) => debugIds.length > 1).map(severalIds)),
    ...limited(sharedIds(scripts)),
    ...limited(sourceOnly.flatMap(withoutMap)),
    ...limited(mapOnly.map(withoutScript)),
  ];
}

function limited(sentences: readonly string[]): readonly string[] {
  const more = sentences.length - maxOfKind;
  return more <= 0 ? sentences : [...sentences.slice(0, maxOfKind), `The same applies to ${more} more files.`];
}

export function severalIds({ url, debugIds }: PairFile): string {
  if (debugIds.length === 2) {
    return `${quoted(url)} has two debug ids: ${debugIds.join(", ")}. Remove one of the two tools that inject them.`;
  }
  const ids = `${debugIds.slice(0, 3).join(", ")} and ${debugIds.length - 3} more`;
  return `${quoted(url)} has ${debugIds.length} debug ids: ${debugIds.length === 3 ? debugIds.join(", ") : ids}. Inject them with one tool; published libraries can bring ids too.`;
}

/** Scripts whose own id, the first, is that of another one too. */
function sharedIds(scripts: readonly PairFile[]): readonly string[] {
  const byId = Map.groupBy(scripts, ({ debugIds: [first] }) => first);
  return [...byId].flatMap(([id, [one, other]]) => {
    if (id === undefined || one === undefined || other === undefined) return [];
    return [sharedId(one, other, id)];
  });
}

export function sharedId({ url }: PairFile, other: PairFile, id: string): string {
  return `${quoted(url)} and ${quoted(other.url)} have the same debug id ${id}: events of both are mapped by the first. Build each into an empty folder, and inject ids once.`;
}

/** A script without a reference and without an id is one that needs no map. */
export function withoutMap({ url, sourceMapUrl, debugIds, hasInlineMap }: PairFile): readonly string[] {
  if (hasInlineMap) return [];
  if (sourceMapUrl !== undefined) {
    return [`${quoted(url)} names the map ${quoted(sourceMapUrl)}, which is not in the bundle. Upload both together.`];
  }
  if (debugIds.length > 0) {
    return [`${quoted(url)} has a debug id, but no map in the bundle has it. Upload the map together with it.`];
  }
  return [];
}

export function withoutScript({ url }: PairFile): string {
  return `The map ${quoted(url)} belongs to no script of the bundle. Upload the minified script together with it.`;
}
