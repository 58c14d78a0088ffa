/** A debug id as a lower-case UUID with hyphens (RFC 9562, section 4); undefined if the text is not a debug id. */
export function normalDebugId(text: string | undefined): string | undefined {
  const id = text?.trim().toLowerCase() ?? "";
  if (hyphenated.test(id)) return id;
  return digits.test(id) ? id.replace(groups, "$1-$2-$3-$4-$5") : undefined;
}

const hyphenated = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const digits = /^[0-9a-f]{32}$/;
const groups = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;
