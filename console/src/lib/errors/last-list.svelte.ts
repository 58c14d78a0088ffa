import { route } from "../navigation/route.ts";

/** The place of an error on a page of the list. */
export interface ListPlace {
  readonly number: number;
  readonly count: number;
  /** The page of the previous error. Undefined for the first error. */
  readonly previous: string | undefined;
  readonly next: string | undefined;
}

/**
 * The address of the last errors list in this tab, of a project or of all projects, so that the way back keeps its
 * search.
 */
class LastList {
  #address = $state("");
  /** The pages of the shown errors, in the order of the list. */
  #details = $state.raw<readonly string[]>([]);

  /** `details` are the addresses of the page's errors, from `route.errorDetails`. */
  remember(address: string, details: readonly string[] = []): void {
    this.#address = address;
    this.#details = details;
  }

  /**
   * The place of an error in the list, and the pages of its neighbors. Undefined if the list did not show the error.
   */
  placeOf(details: string): ListPlace | undefined {
    const index = this.#details.findIndex((address) => pathOf(address) === pathOf(details));
    if (index === -1) return undefined;
    const [previous, next] = [this.#details[index - 1], this.#details[index + 1]];
    return { number: index + 1, count: this.#details.length, previous, next };
  }

  addressFor(projectPath: string): string {
    const list = route.errors(projectPath);
    const isKnown = [list, route.allErrors()].some(
      (one) => this.#address === one || this.#address.startsWith(`${one}?`),
    );
    return isKnown ? this.#address : list;
  }
}

/** The address of an error's page without the shown event. */
const pathOf = (address: string) => address.split("?", 1)[0];

export const lastList = new LastList();
