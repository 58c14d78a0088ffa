import type { ErrorStatus } from "@faultline/proto";
import { sql, type AbortableQueryOptions } from "kysely";
import { statuses } from "../../lists/statuses.ts";
import type { Found, Search, Storage } from "../../storage.ts";
import { countFiltered, countTags } from "./counted.ts";
import { drawnErrors, type Draws } from "./draw.ts";
import { atLeastHalf, bothOf, countedErrors, listOption, without, type Option } from "./option.ts";
import { chosenPieces, hasPieces, type Pieces } from "./pieces.ts";
import type { SearchFilter } from "../search-filter.ts";
import type { SearchToken } from "../search-token.ts";
import { hasSeparator, indexedTexts, isTag } from "../tokens.ts";
import { cheapestWay, costOfFew, type Way } from "./ways.ts";

/** Tags of a search that are counted; further ones are checked error by error. */
const countedTags = 5;

/** The plan of a search. */
export interface Driver extends Found {
  /** Whether all errors of the project are indexed or due. */
  readonly isIndexed: boolean;
  /** The fraction of its errors with each status. */
  readonly statusShares: ReadonlyMap<ErrorStatus, number>;
  readonly way: Way;
  /** Pieces in the texts of each error that matches; none where the search has no text that the index can look up. */
  readonly pieces: Pieces;
  /** Whether so many errors match that a walk soon finds the first page of a list. */
  readonly isCommon: boolean;
}

/** The search, and the most errors of each status that are counted. */
interface Searched {
  readonly projectId: number;
  readonly tokens: readonly SearchToken[];
  readonly filters: readonly SearchFilter[];
  readonly matching: Search["matching"];
  readonly mostCounted: number;
}

/** Examines the errors one after the other. */
const walk: Driver = {
  isIndexed: false,
  statusShares: new Map(),
  way: "walk",
  met: [],
  pieces: [],
  ids: sql`select null`,
  isCommon: true,
};

/** Chooses the cheapest plan of a search. */
export async function driverOf(
  storage: Storage,
  draws: Draws,
  { projectId, tokens, filters, matching, mostCounted }: Searched,
  limits?: AbortableQueryOptions,
): Promise<Driver> {
  const texts = tokens
    .map(indexedTexts)
    .filter((forms) => forms !== undefined)
    .filter((forms) => hasPieces(forms));
  const tags = tokens.filter(isTag).slice(0, countedTags);
  const isListed = filters.some(({ term, listed }) => listed !== undefined && !term.isNegated);
  if ((texts.length + tags.length === 0 && !isListed) || tokens.some(hasSeparator)) return walk;

  const draw = await draws.of(projectId, limits);
  if (draw === "filling") return walk;
  if (draw === "few") return { ...walk, isIndexed: true };
  const { errors, errorCount } = draw;
  const drawnTexts = errors.map(({ text }) => text);
  const tagged = await countTags(storage, { projectId, tags, draw }, limits);
  const filtered = await countFiltered(storage, { projectId, filters, draw }, limits);
  const options: Option[] = tagged.map(({ tag, ids, count, had }) =>
    listOption({ ids, met: [tag], had, counted: count }, errorCount),
  );
  options.push(...filtered.listed);
  const isText = tokens.map(indexedTexts).map((forms) => forms?.map((form) => form.toLowerCase()));
  const matches = drawnTexts.map(
    (text, n) =>
      isText.every((forms) => forms?.some((form) => text.includes(form)) ?? true) &&
      tagged.every(({ had }) => had[n] === true) &&
      filtered.had[n] === true,
  );
  let pieces: Pieces = [];
  let withPieces = errorCount;
  if (texts.length > 0) {
    const chosen = chosenPieces(texts, drawnTexts);
    pieces = chosen.pieces;
    withPieces = atLeastHalf(chosen.found) * errorCount;
    const search = { projectId, tokens, pieces, matching };
    options.push({
      ...storage.dialect.errorsWith(search),
      within: (other) => storage.dialect.errorsWith(search, other),
      isCompared: true,
      had: chosen.found,
      listed: 0,
      count: withPieces,
    });
  }
  const [rarest, second] = options.toSorted((a, b) => a.count - b.count);
  if (!rarest) return walk;
  const both = second && rarest.count > countedErrors ? bothOf(rarest, second, errorCount) : rarest;
  const found = costOfFew(both) < costOfFew(rarest) ? both : rarest;
  const fewest = filtered.excluded.reduce((left, excluded) => without(left, excluded, errorCount), found);

  const statusShares = new Map(
    statuses.map((status) => [status, errors.filter((error) => error.status === status).length / drawnErrors]),
  );
  const isCommon = atLeastHalf(matches) >= 0.02;
  const way = cheapestWay({
    errorCount,
    statusShares: [...statusShares.values()],
    share: Math.min(atLeastHalf(matches), Math.max(fewest.count / errorCount, 1e-6)),
    isCommon,
    fewest,
    pieces,
    withPieces,
    tagCount: tags.length,
    mostCounted,
  });
  return { ...fewest, isIndexed: true, statusShares, way, pieces, isCommon };
}
