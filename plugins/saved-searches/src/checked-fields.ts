import { invalidField, readSearch } from "@faultline/plugin";
import { ErrorSort, ErrorSortSchema, ErrorStatusSchema, type ErrorStatus } from "@faultline/proto";
import type { SavedSearchRow } from "./saved-search.ts";

const longestName = 80;

/** The fields of a search that people choose. */
export type Fields = Pick<SavedSearchRow, "name" | "query" | "status" | "sort">;

/** The columns of the given fields. Refuses the first invalid one with INVALID_FIELD. */
export function checkedFields({ name, query, status, sort }: Partial<Fields>): Partial<Fields> {
  return {
    ...(name !== undefined && { name: checkedName(name.trim()) }),
    ...(query !== undefined && { query: checkedQuery(query.trim()) }),
    ...(status !== undefined && { status: checkedStatus(status) }),
    ...(sort !== undefined && { sort: checkedSort(sort) }),
  };
}

function checkedName(name: string): string {
  if (name === "" || name.length > longestName || /\p{Cc}/u.test(name)) {
    throw invalidField("name", `Give the search a name of 1 to ${longestName} characters.`);
  }
  return name;
}

function checkedQuery(query: string): string {
  readSearch(query);
  return query;
}

function checkedStatus(status: ErrorStatus): ErrorStatus {
  if (ErrorStatusSchema.value[status]) return status;
  throw invalidField("status", "This status does not exist.");
}

function checkedSort(sort: ErrorSort): ErrorSort {
  if (sort === ErrorSort.UNSPECIFIED) return ErrorSort.LAST_SEEN;
  if (ErrorSortSchema.value[sort]) return sort;
  throw invalidField("sort", "This order does not exist.");
}
