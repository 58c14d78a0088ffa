import type { Attachment } from "svelte/attachments";

const gap = 4;
/** Long enough to move the pointer from the control onto the tooltip. */
const leavingMs = 100;

/**
 * The single tooltip of the page, created when first needed: separate tooltips for a hundred rows were 200 elements.
 */
let bubble: HTMLElement | undefined;
/** The control that the tooltip explains. */
let owner: HTMLElement | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * Shows a text next to a control while the pointer or the focus is on it, and after a tap until the next tap elsewhere.
 * Screen readers read it as the control's description.
 */
export const tooltip =
  (text: string): Attachment<HTMLElement> =>
  (control) => {
    control.ariaDescription = text;
    const listening = new AbortController();
    const on = <T extends keyof HTMLElementEventMap>(type: T, act: (event: HTMLElementEventMap[T]) => void) =>
      control.addEventListener(type, act, { signal: listening.signal });
    on("mouseenter", () => show(control, text));
    on("focusin", () => show(control, text));
    on("pointerup", ({ pointerType }) => {
      if (pointerType === "touch") show(control, text);
    });
    on("mouseleave", hideSoon);
    on("focusout", hide);
    return () => {
      listening.abort();
      if (bubble?.textContent === text) hide(); // the control left, or has a different text now
    };
  };

/** Placed in the window, not in the control: a table that scrolls sideways would cut it off. */
function show(control: HTMLElement, text: string): void {
  clearTimeout(timer);
  bubble ??= makeBubble();
  bubble.textContent = text;
  (control.closest("dialog") ?? document.body).append(bubble);
  owner = control;
  place(control, bubble);
}

function place(control: HTMLElement, shown: HTMLElement): void {
  const box = control.getBoundingClientRect();
  const left = Math.min(box.left, document.documentElement.clientWidth - shown.offsetWidth - gap);
  const below = box.bottom + gap;
  const fits = below + shown.offsetHeight <= window.innerHeight;
  shown.style.left = `${Math.max(left, gap)}px`;
  shown.style.top = `${fits ? below : box.top - shown.offsetHeight - gap}px`;
}

function hide(): void {
  clearTimeout(timer);
  bubble?.remove();
}

function hideSoon(): void {
  timer = setTimeout(hide, leavingMs);
}

function makeBubble(): HTMLElement {
  const made = document.createElement("div");
  made.className = "tooltip";
  made.ariaHidden = "true";
  made.addEventListener("mouseenter", () => clearTimeout(timer));
  made.addEventListener("mouseleave", hideSoon);
  // A focus that scrolls its control into view keeps the reason next to it; any other scrolling hides it.
  const follow = () => (owner && owner === document.activeElement ? place(owner, made) : hide());
  document.addEventListener("scroll", follow, { capture: true, passive: true });
  document.addEventListener("pointerdown", ({ pointerType }) => {
    if (pointerType === "touch") hide();
  });
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") hide();
  });
  return made;
}
