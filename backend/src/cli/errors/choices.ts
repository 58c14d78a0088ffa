import { ErrorSort, ErrorSortSchema, ErrorStatus, ErrorStatusSchema, words } from "@faultline/proto";

const statuses = words(ErrorStatusSchema, "all");

/** Those of REST, but for `events`, which is the console's. */
const sorts = Object.fromEntries(
  Object.entries(words(ErrorSortSchema)).map(([word, sort]) => [word === "frequency" ? "events" : word, sort]),
);

/** The words for statuses; `all` is a filter alone. */
export const statusWords = Object.keys(statuses);

/** The words for orders of lists of errors. */
export const sortWords = Object.keys(sorts);

/** The status of one of `statusWords`. */
export const statusOf = (word: string): ErrorStatus => statuses[word] ?? ErrorStatus.UNSPECIFIED;

/** The order of one of `sortWords`. */
export const sortOf = (word: string): ErrorSort => sorts[word] ?? ErrorSort.UNSPECIFIED;
