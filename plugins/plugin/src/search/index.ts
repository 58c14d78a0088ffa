export {
  isAboutEvents,
  SearchProblem,
  type ComparisonTerm,
  type Named,
  type Operator,
  type Pattern,
  type PresenceTerm,
  type Term,
  type TextTerm,
  type ValueTerm,
} from "./term.ts";
export {
  keyNamed,
  searchKey,
  searchKeys,
  tagsOf,
  type SearchKey,
  printSearch,
  printTerm,
  isAskedFor,
  valueForms,
} from "./keys.ts";
export { nearest } from "./nearest.ts";
export { parseSearch, searchBounds, type PlacedTerm } from "./parse.ts";
export { incomparable, isAtOrAfter, isInOrder } from "./release-order.ts";
