/** The name for people of an error that is stored here: the last part of the project's path and the error's id, `WEB-157`. */
export const shortIdOf = (projectPath: string, errorId: string): string => `${prefixOf(projectPath)}-${errorId}`;

/**
 * The id of the error that a search names by its short id, with or without a `#`, or by `#` and its id; undefined: it is
 * another search. A number alone is text that errors contain, such as 404. `projectPath`: of the project whose errors
 * have short ids of ours.
 */
export function namedErrorId(query: string, projectPath: string | undefined): string | undefined {
  const [, hash, prefix, errorId] = /^(#?)(?:([\w.-]+)-)?([1-9]\d{0,14})$/.exec(query.trim()) ?? [];
  if (prefix === undefined) return hash === "#" ? errorId : undefined;
  return projectPath !== undefined && prefix.toUpperCase() === prefixOf(projectPath) ? errorId : undefined;
}

const prefixOf = (projectPath: string) => projectPath.slice(projectPath.lastIndexOf("/") + 1).toUpperCase();
