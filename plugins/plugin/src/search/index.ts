export { isAboutEvents } from "./about-events.ts";
export { keyNamed, searchKey, searchKeys, tagsOf, type SearchKey } from "./keys.ts";
export { nearest } from "./nearest.ts";
export { parseSearch, searchBounds, type PlacedTerm } from "./parse.ts";
export { incomparable, isAtOrAfter, isInOrder } from "./release-order.ts";
export { printSearch, printTerm } from "./print.ts";
export { SearchProblem } from "./search-problem.ts";
export type { ComparisonTerm, Named, Operator, Pattern, PresenceTerm, Term, TextTerm, ValueTerm } from "./term.ts";
export { isAskedFor, valueForms } from "./value-forms.ts";
