/**
 * Removes control characters from a text, except tab and newline: a terminal that it is pasted into obeys them. For
 * example, in most shells Ctrl-U (U+0015) drops an open quote of the line before it.
 */
export const pastable = (text: string) => text.replaceAll(/[^\P{Cc}\t\n]/gu, "");
