/**
 * The cursors of a list, from its `Link` header. Only links with `results="true"` lead to a page; only the cursor is
 * taken from a link, never its address.
 */
export function readCursors(header: string | undefined): { next: string | undefined; previous: string | undefined } {
  const cursors: Record<string, string> = {};
  for (const [, parameters = ""] of (header ?? "").slice(0, maxHeader).matchAll(LINK)) {
    const { rel, results, cursor } = Object.fromEntries(
      Array.from(parameters.matchAll(PARAMETER), ([, name = "", value = ""]) => [name.toLowerCase(), value]),
    );
    if (rel !== undefined && results === "true" && cursor !== undefined && CURSOR.test(cursor)) {
      cursors[rel] ??= cursor;
    }
  }
  return { next: cursors["next"], previous: cursors["previous"] };
}

// Real headers have two links of some 200 characters.
const maxHeader = 8192;
const LINK = /<[^<>]*>((?:\s*;\s*[a-z]+="[^"<>]*")*)/gi;
const PARAMETER = /([a-z]+)="([^"]*)"/gi;
const CURSOR = /^[0-9:]{1,64}$/;

/** The total from the header `X-Hits`; undefined when it is absent. */
export function readHits(headers: Readonly<Record<string, string>>): number | undefined {
  const hits = headers["x-hits"]?.trim() ?? "";
  return /^\d{1,9}$/.test(hits) ? Number(hits) : undefined;
}
