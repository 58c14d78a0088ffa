import { afterNavigate, beforeNavigate, snapshot } from "$app/navigation";
import { page } from "$app/state";

/** Where a person is in a list of errors. */
export interface ListPlace {
  /** The row that had the focus last. Undefined: none had it. */
  readonly row: string | undefined;
  readonly selected: readonly string[];
  /** How far the page is scrolled, in pixels. */
  readonly scroll: number;
}

interface PlacedList {
  readonly capture: () => ListPlace;
  /** `readId`: the error whose page was shown last; its row is the one to go on from. Undefined: no error was read before. */
  readonly restore: (place: ListPlace, readId: string | undefined) => void;
}

/** The list that was left last in this tab. Only the browser writes to it. */
let left: { readonly address: string; readonly place: ListPlace } | undefined;

const addressOf = ({ pathname, search }: Pick<URL, "pathname" | "search">) => pathname + search;

/** Returns people who have read an error to their place in the list, by Back as by a link. Call it while a component starts. */
export function keepPlace({ capture, restore }: PlacedList): void {
  let readId: string | undefined;
  beforeNavigate(() => {
    left = { address: addressOf(page.url), place: capture() };
  });
  afterNavigate(({ type, from, to }) => {
    readId = from?.params?.["id"];
    if (type === "popstate" || readId === undefined || to === null || left?.address !== addressOf(to.url)) return;
    restore(left.place, readId);
    window.scrollTo({ top: left.place.scroll });
  });
  snapshot<ListPlace>({ id: "errors", capture, restore: (place) => restore(place, readId) });
}
