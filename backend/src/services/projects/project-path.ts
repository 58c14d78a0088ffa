import { invalidField } from "@faultline/plugin";

/** Beginnings of paths that are addresses of the product itself. */
const reserved = new Set(["api", "errortracking/api", "admin", "_app", "favicon.ico", "robots.txt"]);

/**
 * The path of a project as it is stored: 1 to 5 parts of [A-Za-z0-9_.-] joined by `/`. Refuses others with a sentence.
 */
export function projectPath(text: string): string {
  // Before the pattern below, which takes quadratic time on a long run of slashes.
  if (text.length > 255) throw invalidField("path", "A path has at most 255 characters.");
  const path = text.trim().replace(/^\/+|\/+$/g, "");
  if (path === "") throw invalidField("path", "Give the project a path such as acme/web.");
  const parts = path.split("/");
  if (parts.length > 5) throw invalidField("path", "A path has at most 5 parts.");
  if (!parts.every((part) => /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(part))) {
    throw invalidField(
      "path",
      "A path has parts of letters, digits, '_', '.' and '-', joined by '/', and each part begins with a letter, a digit or '_'.",
    );
  }
  const taken = [1, 2]
    .map((count) => parts.slice(0, count).join("/"))
    .find((beginning) => reserved.has(beginning.toLowerCase()));
  if (taken !== undefined) {
    throw invalidField("path", `A path cannot begin with ${taken}, which is an address of Faultline itself.`);
  }
  return path;
}

/** The display name of a project, 1 to 255 characters. */
export function projectName(text: string): string {
  const name = text.trim();
  if (name === "" || name.length > 255) throw invalidField("name", "Give the project a name of 1 to 255 characters.");
  return name;
}
