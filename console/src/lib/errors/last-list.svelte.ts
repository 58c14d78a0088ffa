import { route } from "../navigation/route.ts";

/** The address of the errors list seen last in this tab, of a project or of all, so that the way back keeps its search. */
class LastList {
  #address = $state("");

  remember(address: string): void {
    this.#address = address;
  }

  addressFor(projectPath: string): string {
    const list = route.errors(projectPath);
    const isKnown = [list, route.allErrors()].some(
      (one) => this.#address === one || this.#address.startsWith(`${one}?`),
    );
    return isKnown ? this.#address : list;
  }
}

export const lastList = new LastList();
