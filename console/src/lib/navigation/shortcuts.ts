/** Keys without modifiers, except Shift for characters such as `?`. */
export type Shortcuts = Readonly<Record<string, (event: KeyboardEvent) => void>>;

const typing = "input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable]";

/** Runs the shortcut of a key press, unless the person types, composes or holds a modifier. */
export function runShortcut(event: KeyboardEvent, shortcuts: Shortcuts): void {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target instanceof Element && event.target.closest(typing) !== null) return;
  if (document.querySelector("dialog[open]") !== null) return;
  const act = shortcuts[event.key];
  if (act === undefined) return;
  event.preventDefault();
  act(event);
}
