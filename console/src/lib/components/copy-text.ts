import { pastable } from "./pastable.ts";

/**
 * Copies a text, or one that is on its way, without control characters but tab and newline: the text may come from an
 * event, and a terminal that it is pasted into obeys them. The clipboard API exists only on https and localhost; elsewhere a hidden
 * text field is copied.
 */
export async function copyText(text: string | Promise<string>): Promise<boolean> {
  try {
    if (typeof text === "string") await navigator.clipboard.writeText(pastable(text));
    else await navigator.clipboard.write([itemOf(text)]);
    return true;
  } catch {
    // No clipboard API here, or the browser refused it; or there is no text, which the person knows already.
    return Promise.resolve(text).then(copyBySelection, () => false);
  }
}

/** Made while the click still counts: Safari refuses a clipboard write after an await. */
const itemOf = (text: Promise<string>) =>
  new ClipboardItem({ "text/plain": text.then((ready) => new Blob([pastable(ready)], { type: "text/plain" })) });

function copyBySelection(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = pastable(text);
  field.className = "sr-only";
  const holder = document.querySelector("dialog[open]") ?? document.body;
  holder.append(field);
  const focused = document.activeElement;
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return copied;
}
