export { isAboutEvents } from "./about-events.ts";
export { isLike } from "./is-like.ts";
export { keyNamed, searchKey, searchKeys, type SearchKey } from "./keys.ts";
export { parseSearch, searchBounds, type PlacedTerm } from "./parse.ts";
export { printSearch, printTerm } from "./print.ts";
export { isAtOrAfter, isInOrder } from "./release-order.ts";
export { SearchProblem } from "./search-problem.ts";
export type { ComparisonTerm, Named, Operator, Pattern, PresenceTerm, Term, TextTerm, ValueTerm } from "./term.ts";
