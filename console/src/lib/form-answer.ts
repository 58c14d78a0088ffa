/** How a page shows the answer to its own form. */

import type { SubmitFunction } from "$app/forms";

/** Submits a form. The page shows the answer, so it is not read again. */
export const showsAnswer: SubmitFunction =
  () =>
  async ({ update }) =>
    update({ refreshAll: false });

/** A list with an item in the place of the one of the same key; one that is new comes last. */
export function withItem<Item>(list: readonly Item[], item: Item, keyOf: (item: Item) => unknown): readonly Item[] {
  const key = keyOf(item);
  const isKnown = list.some((one) => keyOf(one) === key);
  return isKnown ? list.map((one) => (keyOf(one) === key ? item : one)) : [...list, item];
}
