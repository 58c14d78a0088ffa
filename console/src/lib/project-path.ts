/** A path for a project of that name: `Web Shop` becomes `web-shop`. May be empty. */
export function suggestedPath(name: string): string {
  return name
    .normalize("NFKD")
    .replaceAll(/\p{Mark}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9_./]+/g, "-")
    .replaceAll(/^[-./]+|[-./]+$/g, "")
    .slice(0, 255);
}
