/** Shows the answer to a page's own form. */

import type { SubmitFunction } from "$app/forms";

/** Submits a form. The page shows the answer, so it is not read again. */
export const showsAnswer: SubmitFunction =
  () =>
  async ({ update }) =>
    update({ refreshAll: false });

/** Replaces the list's item with the same key; a new item is added to the end. */
export function withItem<Item>(list: readonly Item[], item: Item, keyOf: (item: Item) => unknown): readonly Item[] {
  const key = keyOf(item);
  const isKnown = list.some((one) => keyOf(one) === key);
  return isKnown ? list.map((one) => (keyOf(one) === key ? item : one)) : [...list, item];
}
