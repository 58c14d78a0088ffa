declare global {
  interface Window {
    /** What app.html notes until the scripts of the page run: a slow line may take seconds, in which the page looks ready. */
    earlyInput?: EarlyInput[];
  }
}

/** An event, and what the field held then. */
type EarlyInput = readonly [event: Event, value?: string, checked?: boolean];

/** Does once more what nobody heard; what works without scripts has happened. */
export function repeatEarlyInput(inputs: readonly EarlyInput[]): void {
  for (const [event, value = "", checked] of inputs) {
    const { target } = event;
    if (target instanceof Element && target.isConnected) repeat(event, target, { value, checked });
  }
}

function repeat(event: Event, target: Element, held: { value: string; checked: boolean | undefined }): void {
  const field = target.closest<HTMLInputElement>("input, select, textarea");
  if (event instanceof KeyboardEvent) {
    if (!field) target.dispatchEvent(new KeyboardEvent(event.type, event));
  } else if (field && /^(checkbox|radio)$/.test(field.type)) {
    if (event.type !== "click") return;
    field.checked = !held.checked;
    field.click();
  } else if (field) {
    if (event.type !== "input") return;
    field.value = held.value;
    for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
  } else if (event.type === "click") target.closest<HTMLButtonElement>("button[type=button]")?.click();
}
