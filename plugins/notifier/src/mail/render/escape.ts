const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A text within HTML, between tags or in a quoted attribute. The one way by which texts come into a mail's HTML. */
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (mark) => entities[mark] ?? "");
