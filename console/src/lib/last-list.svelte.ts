import { route } from "./route.ts";

/** The address of the errors list seen last in this tab, so that the way back keeps its search and page. */
class LastList {
  #address = $state("");

  remember(address: string): void {
    this.#address = address;
  }

  addressFor(projectPath: string): string {
    const list = route.errors(projectPath);
    return this.#address === list || this.#address.startsWith(`${list}?`) ? this.#address : list;
  }
}

export const lastList = new LastList();
