import { invalidField, readSearch } from "@faultline/plugin";
import { printTerm, type Pattern, type Term, type TextTerm, type ValueTerm } from "@faultline/plugin/search";
import { ErrorStatusSchema, words, type ErrorStatus } from "@faultline/proto";
import { isIP } from "node:net";

/** A search in the words of the external system. */
export interface ExternalSearch {
  readonly query: string;
  /** The status that an `is:` asks for; undefined if the search has no `is:`. */
  readonly status?: ErrorStatus;
}

/** The external system's names of keys that differ from ours; undefined if it has no such key. */
const keysThere: Readonly<Record<string, string | undefined>> = {
  type: "error.type",
  value: "error.value",
  handled: "error.handled",
  platform: "platform.name",
  culprit: "location",
  file: "stack.filename",
  function: "stack.function",
  users: undefined,
};

const statuses = words(ErrorStatusSchema);

/** Reads a search. Refuses what cannot be read, and what the external system cannot search for. */
export function externalSearch(text: string): ExternalSearch {
  const terms = readSearch(text);
  const asked = terms.filter(isStatus);
  const others = terms.filter((term) => !isStatus(term));
  const query = others.map(translated).join(" ");
  if (asked.length === 0) return { query };
  const [term] = asked;
  const status = term?.of === "value" && term.values.length === 1 ? statuses[term.values[0][0]] : undefined;
  if (asked.length > 1 || status === undefined || term?.isNegated === true) {
    throw invalidField(
      "query",
      "The external system searches one status at a time. Name one status, such as is:resolved.",
    );
  }
  return { query, status };
}

const isStatus = (term: Term) => term.of === "value" && !term.isTag && term.key === "is";

function translated(term: Term): string {
  if (!("isTag" in term) || term.isTag) return inItsWords(term);
  switch (term.key) {
    case "release":
    case "firstRelease":
      return ofRelease(term);
    case "browser":
    case "os":
    case "runtime":
      return inItsWords(term, isVersioned(term) ? term.key : `${term.key}.name`);
    case "file":
      return inItsWords(term.of === "value" ? ofPathEnd(term) : term, "stack.filename");
    case "user":
      return inItsWords(term, term.of === "value" ? keyOfUser(term) : term.key);
    default:
      return inItsWords(term);
  }
}

/** Its key `release` is the whole release, letter by letter; `release.version` is its version, and a package in front of it. */
function ofRelease(term: Exclude<Term, TextTerm>): string {
  if (term.of === "comparison") {
    if (term.key === "firstRelease") throw refused("cannot compare firstRelease. Name one release");
    if (term.operand.includes("+")) throw refused("cannot compare builds. Leave out the +");
    return printTerm(term, "release.version");
  }
  if (term.of !== "value" || term.key === "firstRelease") return inItsWords(term);
  const isVersion = ([first, ...others]: Pattern) =>
    others.length === 0 && /^(?:.+@)?v?\d+(?:\.\d+)+[^+]*$/.test(first);
  if (!term.values.some(isVersion)) return inItsWords(term);
  if (term.values.length > 1)
    throw refused("searches for one version at a time. Name one version, such as release:web@1.2.0");
  return inItsWords(term, "release.version");
}

/** Whether a value has a version behind its name: `Safari 17.1`. */
const isVersioned = (term: Exclude<Term, TextTerm>) =>
  term.of === "value" && term.values.some((value) => value.some((part) => /\s\S*\d/.test(part)));

/** A path is searched for by its end. */
function ofPathEnd(term: ValueTerm): ValueTerm {
  const [value, ...others] = term.values;
  if (value.length > 1 || value[0].startsWith("/")) return term;
  if (others.length > 0) throw refused("searches for one file at a time");
  return { ...term, values: [["", value[0]]] };
}

/** The external system has no key for all names of a user. */
function keyOfUser({ values: [[first], ...others] }: ValueTerm): string {
  if (others.length === 0 && isIP(first) !== 0) return "user.ip";
  if (others.length === 0 && isMailAddress(first)) return "user.email";
  throw refused("searches for one kind of name. Use user.id, user.username, user.email or user.ip");
}

export const isMailAddress = (text: string) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text);

function inItsWords(term: Term, name?: string): string {
  if (term.of === "text") {
    if (!term.isNegated) return printTerm(term);
    throw refused("cannot exclude text. Exclude a value, such as !level:info");
  }
  if (term.of === "value" && term.isOnly) throw refused("cannot search for the only value of a key. Leave out all:");
  if (name !== undefined) return printTerm(term, name);
  if (term.isTag || !(term.key in keysThere)) return printTerm(term);
  const key = keysThere[term.key];
  if (key === undefined) throw refused(`cannot search by ${term.key}`);
  return printTerm(term, key);
}

const refused = (what: string) => invalidField("query", `The external system ${what}.`);
