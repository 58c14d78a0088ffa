/**
 * PostgreSQL stores no NUL and no lone surrogate in text. Services no longer store them; rows of early releases may
 * have one.
 */
export function storableText(text: string): string {
  return text.replaceAll("\0", "\ufffd").toWellFormed();
}
