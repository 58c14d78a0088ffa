import { type Trim, TrimUnit } from "@faultline/proto";
import { limits } from "../limits.ts";
import { cleanText } from "./text.ts";

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
      .map(({ trim }) => trim);
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
