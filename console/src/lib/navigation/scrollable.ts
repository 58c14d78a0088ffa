import type { Attachment } from "svelte/attachments";

/** Makes an element reachable by keyboard while its content overflows, so that it scrolls without a mouse. */
export const scrollable: Attachment<HTMLElement> = (element) => {
  const measure = () => {
    const overflows = element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight;
    if (overflows) element.tabIndex = 0;
    else element.removeAttribute("tabindex");
  };
  const observer = new ResizeObserver(measure);
  observer.observe(element);
  return () => observer.disconnect();
};
