/**
 * A text without control characters but tab and newline: a terminal that it is pasted into obeys them. Ctrl-U (U+0015),
 * for one, drops an open quote of the line before it in most shells.
 */
export const pastable = (text: string) => text.replaceAll(/[^\P{Cc}\t\n]/gu, "");
