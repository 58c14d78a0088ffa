import { invalidField, readSearch } from "@faultline/plugin";
import { printTerm, type Term } from "@faultline/plugin/search";
import { ErrorStatus } from "@faultline/proto";

/** A search in the words of the external system. */
export interface ExternalSearch {
  readonly query: string;
  /** The status that an `is:` asks for. Absent: none does. */
  readonly status?: ErrorStatus;
}

/** The external system's names of keys that differ from ours; undefined: it has none. */
const keysThere: Readonly<Record<string, string | undefined>> = {
  type: "error.type",
  value: "error.value",
  handled: "error.handled",
  platform: "platform.name",
  culprit: "location",
  users: undefined,
};

const statuses: Readonly<Record<string, ErrorStatus>> = {
  unresolved: ErrorStatus.UNRESOLVED,
  resolved: ErrorStatus.RESOLVED,
  ignored: ErrorStatus.IGNORED,
};

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
    throw invalidField("query", "The external system searches one status at a time. Give one, such as is:resolved.");
  }
  return { query, status };
}

const isStatus = (term: Term) => term.of === "value" && !term.isTag && term.key === "is";

function translated(term: Term): string {
  if (term.of === "text") {
    if (!term.isNegated) return printTerm(term);
    throw refused("cannot exclude text. Exclude a value, such as !level:info");
  }
  if (term.of === "value" && term.isOnly) throw refused("cannot search for the only value of a key. Leave out all:");
  if (term.isTag || !(term.key in keysThere)) return printTerm(term);
  const key = keysThere[term.key];
  if (key === undefined) throw refused(`cannot search by ${term.key}`);
  return printTerm(term, key);
}

const refused = (what: string) => invalidField("query", `The external system ${what}.`);
