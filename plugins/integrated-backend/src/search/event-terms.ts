import { readSearch } from "@faultline/plugin";
import { isAboutEvents, isInOrder, isLike, type Named, type Term } from "@faultline/plugin/search";
import type { ExaminedEvent } from "../breakdown/examined-event.ts";
import { spelled } from "./filters.ts";

/** A term that a single event may meet. */
export type EventTerm = Exclude<Term, { of: "text" }>;

/** The terms of a search that are about single events. Refuses what cannot be read. */
export const eventTerms = (query: string): EventTerm[] => readSearch(query).filter(isAboutEvents);

/** Whether an event meets all terms. */
export const meetsAll = (event: ExaminedEvent, terms: readonly EventTerm[]) =>
  terms.every((term) => isMet(event, term) !== term.isNegated);

function isMet(event: ExaminedEvent, term: EventTerm): boolean {
  const values = valuesOf(event, term);
  switch (term.of) {
    case "presence":
      return values.length > 0;
    case "value": {
      const isOne = ({ kind, value }: Value) => term.values.some((pattern) => isLike(value, spelled(kind, pattern)));
      return values.some(isOne) && (!term.isOnly || values.every(isOne));
    }
    case "comparison":
      return values.some(({ value }) => isInOrder(value, term));
  }
}

interface Value {
  /** Of a user's name; empty for all other values. */
  readonly kind: string;
  readonly value: string;
}

function valuesOf({ row, names, facts }: ExaminedEvent, { key, isTag }: Named): Value[] {
  if (isTag || !key.startsWith("user")) {
    const spell = (value: string) => (!isTag && key === "handled" ? (booleans.get(value) ?? value) : value);
    return facts.flatMap(([name, value]) => (name === key ? [{ kind: "", value: spell(value) }] : []));
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

/** A breakdown says of `handled` yes and no, a search true and false. */
const booleans = new Map([
  ["yes", "true"],
  ["no", "false"],
]);
