const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A text within HTML, between tags or in a quoted attribute. The one way by which texts come into HTML that is no page of the console. */
export const escapedHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (mark) => entities[mark] ?? "");

/**
 * A text in Slack's markup, and in the part of HTML that Google Chat's widgets take. The signs * _ ~ ` cannot be escaped there, and at
 * worst change a typeface.
 */
export const escapedMarkup = (foreign: string): string =>
  foreign.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
