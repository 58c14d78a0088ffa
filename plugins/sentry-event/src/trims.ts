import { type Trim, TrimUnit } from "@faultline/proto";
import { cleanText, type JsonField, type JsonObject, type JsonValue, isObject } from "./json.ts";
import { limits } from "./limits.ts";

/**
 * The cuts that limits made while an event is read. A reader notes a cut where it makes it, in the place it is handed;
 * on the way of every event no place is handed.
 */
export class Trims {
  readonly #found: Map<string, Found>;
  readonly #path: string;
  readonly #depth: number;

  constructor(found = new Map<string, Found>(), path = "", depth = 0) {
    this.#found = found;
    this.#path = path;
    this.#depth = depth;
  }

  /** The place of a part, by its name in `faultline.v1.Event`, or of an entry of a list. */
  at(part: string | number): Trims {
    if (typeof part === "number") return new Trims(this.#found, `${this.#path}[${part}]`, this.#depth);
    return new Trims(this.#found, this.#path === "" ? part : `${this.#path}.${part}`, this.#depth + 1);
  }

  /** Notes that only `kept` of the characters sent are shown, if they are fewer. */
  characters(kept: number, sent: number): void {
    if (kept < sent) this.#note(TrimUnit.CHARACTERS, kept, sent);
  }

  /** Notes that only `kept` of the entries sent are shown, if they are fewer. */
  entries(kept: number, sent: number): void {
    if (kept < sent) this.#note(TrimUnit.ENTRIES, kept, sent);
  }

  /** Notes that some of this free data is left out. */
  some(): void {
    this.#note(TrimUnit.UNSPECIFIED, 0, 0);
  }

  /** At most 50, the outermost first and lists before texts: a list shows nothing in its place, a text its `...`. */
  list(): Trim[] {
    return [...this.#found.values()]
      .toSorted((a, b) => a.rank - b.rank)
      .slice(0, limits.count.trims)
      .map((found) => found.trim);
  }

  /** Of several cuts in one place the first counts. */
  #note(unit: TrimUnit, kept: number, sent: number): void {
    if (this.#found.has(this.#path)) return;
    const part = cleanText(this.#path, limits.text.trimmedPart);
    this.#found.set(this.#path, {
      rank: 2 * this.#depth + (unit === TrimUnit.ENTRIES ? 0 : 1),
      trim: { $typeName: "faultline.v1.Trim", part, kept, sent, unit },
    });
  }
}

interface Found {
  readonly rank: number;
  readonly trim: Trim;
}

/** How much free data is kept: levels, characters of each entry, characters of all entries. */
interface TrimmedJsonLimit {
  readonly depth: number;
  readonly size: number;
  readonly total: number;
}

/**
 * Free data trimmed to its limit: a cut text ends with `...`, a list with left-out entries has the entry `"..."`, an
 * object has `"...": "..."`, and a level that is too deep is `"..."`. Undefined without data, or if it is not
 * an object.
 */
export function readTrimmedJson(value: JsonField, limit: TrimmedJsonLimit, trims: Trims): JsonObject | undefined {
  if (!isObject(value)) return undefined;
  const trimmed: JsonObject = {};
  let left = limit.total;
  let kept = 0;
  let sent = 0;
  const keys = Object.keys(value);
  for (const [index, key] of keys.entries()) {
    if (left <= 0) {
      sent += keys.length - index;
      break;
    }
    const entry = value[key];
    if (entry === undefined || key === "__proto__") continue;
    sent++;
    kept++;
    const size = Math.min(limit.size, left);
    const budget = { left: size, isCut: false };
    const name = spend(key, budget);
    const place = trims.at(name);
    trimmed[name] = typeof entry === "string" ? spend(entry, budget, place) : trim(entry, limit.depth - 1, budget);
    if (budget.isCut) place.some();
    left -= size - budget.left;
  }
  trims.entries(kept, sent);
  if (kept < sent) trimmed[MARK] = MARK;
  return sent > 0 ? trimmed : undefined;
}

/** Any value as text: text as it is, other JSON as its JSON text, null as "". At most `max` characters. */
export function readAnyText(value: JsonField, max: number, trims?: Trims): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return cleanText(value, max, trims);
  const budget = { left: max, isCut: false };
  const json = JSON.stringify(trim(value, limits.trimmedJson.request.depth, budget));
  if (budget.isCut) trims?.some();
  return cleanText(json, max, trims);
}

/** Stands for left-out parts. */
const MARK = "...";

interface Budget {
  /** Characters. */
  left: number;
  isCut: boolean;
}

// Recursion ends at `depth`, so nesting that is deeper than the stack cannot fail here.
function trim(value: JsonValue, depth: number, budget: Budget): JsonValue {
  if (typeof value === "string") return spend(value, budget);
  budget.left -= 4;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "object" || value === null) return value;
  if (depth <= 0) {
    budget.isCut = true;
    return MARK;
  }
  return Array.isArray(value) ? trimList(value, depth, budget) : trimObject(value, depth, budget);
}

function trimList(list: JsonValue[], depth: number, budget: Budget): JsonValue[] {
  const kept: JsonValue[] = [];
  for (const entry of list) {
    if (budget.left <= 0) {
      budget.isCut = true;
      kept.push(MARK);
      break;
    }
    kept.push(trim(entry, depth - 1, budget));
  }
  return kept;
}

function trimObject(object: JsonObject, depth: number, budget: Budget): JsonObject {
  const kept: JsonObject = {};
  for (const key of Object.keys(object)) {
    const entry = object[key];
    // Assigning `__proto__` would set the prototype instead of a key.
    if (entry === undefined || key === "__proto__") continue;
    if (budget.left <= 0) {
      budget.isCut = true;
      kept[MARK] = MARK;
      break;
    }
    kept[spend(key, budget)] = trim(entry, depth - 1, budget);
  }
  return kept;
}

function spend(text: string, budget: Budget, trims?: Trims): string {
  const max = Math.max(budget.left, MARK.length);
  const kept = cleanText(text, max, trims);
  budget.isCut ||= text.length > max;
  budget.left -= kept.length;
  return kept;
}
