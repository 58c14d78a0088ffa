/**
 * A foreign text in Slack's markup, and in the part of HTML that Google Chat's widgets take. The signs * _ ~ ` cannot be
 * escaped there, and at worst change a typeface.
 */
export const escapedMarkup = (foreign: string): string =>
  foreign.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
