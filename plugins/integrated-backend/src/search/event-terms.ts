import { readSearch } from "@faultline/plugin";
import { isAboutEvents, isAskedFor, isInOrder, tagsOf, type Named, type Term } from "@faultline/plugin/search";
import type { ExaminedEvent } from "../event/examined-event.ts";
import { spelled } from "./users.ts";

/** A term that a single event can meet. */
export type EventTerm = Exclude<Term, { of: "text" }>;

/** The terms of a search that apply to single events. Refuses a query that cannot be parsed. */
export function eventTerms(query: string): EventTerm[] {
  const terms: readonly Term[] = readSearch(query);
  return terms.filter(isAboutEvents);
}

/** Whether an event meets all terms. */
export const meetsAll = (event: ExaminedEvent, terms: readonly EventTerm[]) =>
  terms.every((term) => isMet(event, term) !== term.isNegated);

function isMet(event: ExaminedEvent, term: EventTerm): boolean {
  const values = valuesOf(event, term);
  switch (term.of) {
    case "presence":
      return values.length > 0;
    case "value": {
      const isOne = ({ kind, value }: Value) =>
        isAskedFor(
          value,
          term,
          term.values.map((pattern) => spelled(kind, pattern)),
        );
      return values.some(isOne) && (!term.isOnly || values.every(isOne));
    }
    case "comparison":
      return values.some(({ value }) => isInOrder(value, term));
  }
}

interface Value {
  /** The kind of a user's name; empty for all other values. */
  readonly kind: string;
  readonly value: string;
}

function valuesOf({ row, names, facts, contexts }: ExaminedEvent, { key, isTag }: Named): Value[] {
  if (isTag || !key.startsWith("user")) {
    const spell = (value: string) => (!isTag && key === "handled" ? (booleans.get(value) ?? value) : value);
    const tags = new Set([key, ...tagsOf({ key, isTag })]);
    return [...facts, ...Object.entries(contexts)].flatMap(([name, value]) =>
      tags.has(name) ? [{ kind: "", value: spell(value) }] : [],
    );
  }
  const [, counted = "", name = ""] = /^(id|email|username|ip):(.*)$/s.exec(row.user) ?? [];
  const all = [
    { kind: counted, value: name },
    { kind: "id", value: names?.id ?? "" },
    { kind: "email", value: names?.email.toLowerCase() ?? "" },
    { kind: "username", value: names?.username ?? "" },
    { kind: "ip", value: names?.ipAddress ?? "" },
  ];
  return all.filter(({ kind, value }) => value !== "" && (key === "user" || key === `user.${kind}`));
}

/** A breakdown names the values of `handled` yes and no, a search true and false. */
const booleans = new Map([
  ["yes", "true"],
  ["no", "false"],
]);
