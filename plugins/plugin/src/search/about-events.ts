import type { Term, TextTerm } from "./term.ts";

/** Keys whose value each event has; those of the error as a whole say nothing about one of its events. */
const keysOfEvents = new Set(
  "level release environment transaction url handled user browser os device runtime".split(" "),
);

/** Whether a term is about single events too: a tag or one of the facts that each event has. */
export function isAboutEvents(term: Term): term is Exclude<Term, TextTerm> {
  return term.of !== "text" && (term.isTag || keysOfEvents.has(term.key) || term.key.startsWith("user."));
}
