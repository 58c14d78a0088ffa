/** The project path for a name: `Acme / Web Shop` becomes `acme/web-shop`. May be empty. */
export function suggestedPath(name: string): string {
  return name
    .normalize("NFKD")
    .replaceAll(/\p{Mark}/gu, "")
    .toLowerCase()
    .split("/")
    .map(suggestedPart)
    .filter((part) => part !== "")
    .slice(0, 5)
    .join("/")
    .slice(0, 255)
    .replace(/\/$/, "");
}

/** A part begins with a letter, a digit or `_`. */
const suggestedPart = (text: string) => text.replaceAll(/[^a-z0-9_.]+/g, "-").replaceAll(/^[-.]+|[-.]+$/g, "");
