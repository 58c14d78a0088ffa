/**
 * The fields of a kind in a form of IntegrationForm.svelte, which begin with `field-` or `secret-`. `all` goes to the
 * service, including empty fields to clear, but without empty secrets; `typed` goes back to the page, without secrets.
 */
export function givenFields(form: FormData): { all: Record<string, string>; typed: Record<string, string> } {
  const all: Record<string, string> = {};
  const typed: Record<string, string> = {};
  for (const [name, value] of form) {
    const [, prefix, key] = /^(field|secret)-(.+)$/.exec(name) ?? [];
    if (key === undefined || typeof value !== "string") continue;
    if (prefix === "secret" && value === "") continue;
    all[key] = value;
    if (prefix === "field") typed[key] = value;
  }
  return { all, typed };
}
