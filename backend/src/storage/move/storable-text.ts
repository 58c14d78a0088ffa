/** PostgreSQL takes no NUL and no lone surrogate in a text. Services store none any more; rows of early releases may hold one. */
export function storableText(text: string): string {
  return text.replaceAll("\0", "\ufffd").toWellFormed();
}
