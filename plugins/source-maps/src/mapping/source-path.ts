/** How a source is shown: without what bundlers put before its path. */
export function displayName(source: string): string {
  const [, path = source] = bundlerPrefix.exec(source) ?? [];
  return withoutDots(path.startsWith("/~/") ? path.slice(1) : path);
}

/** The source as a URL: what is relative is so to the map. URLs, and sources of maps that have none, stay as they are. */
export function absolutePath(source: string, mapUrl: string): string {
  const isUrl = /^[a-z][a-z0-9+.-]*:/i.test(source);
  return isUrl ? source : (URL.parse(source, mapUrl)?.href ?? source);
}

/** The module as Sentry calls it: the path of the shown name without its extension, query, and leading dots. */
export function moduleName(source: string): string {
  const path = displayName(source)
    .replace(/[?#].*$/s, "")
    .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, "")
    .replace(/^(?:\.{0,2}\/)+/, "");
  return path.replace(/(?<=[^/])\.(?:[cm]?[jt]sx?|svelte|vue|coffee)$/i, "");
}

/**
 * Whether the source is code of the application. Browser SDKs call all frames that, because they cannot see it in a bundle. Not:
 * packages, what the map itself ignores, webpack's own code, and browser extensions.
 */
export function isInApp(source: string, isIgnored: boolean): boolean {
  return !isIgnored && !foreign.some((pattern) => pattern.test(source));
}

/**
 * `webpack:///`, `webpack://name/`, `webpack-internal:///`, `turbopack:///[project]/`. The path keeps its slash only in `/~/`, which
 * means node_modules.
 */
const bundlerPrefix = /^(?:webpack(?:-internal)?:\/\/[^/]*|turbopack:\/\/[^/]*(?:\/\[project\])?)(?:\/(?!~\/))?(.*)$/s;

const foreign = [
  /(?:^|[\\/])node_modules[\\/]/,
  /(?:^|\/)~\//,
  /(?:^|\/)\(?webpack\)?\/(?:runtime|bootstrap|buildin|startup)\b/,
  /\(webpack\)/,
  /^(?:[a-z]+-)+extension:\/\//i,
];

/** Folds `a/./b` and `a/b/../c`, and drops the `./` and `../` at the start: where the build was run is not of interest. */
function withoutDots(path: string): string {
  const [scheme = ""] = /^[a-z][a-z0-9+.-]*:\/\/[^/]*/i.exec(path) ?? [];
  const kept: string[] = [];
  for (const part of path.slice(scheme.length).split("/")) {
    if (part === ".") continue;
    if (part !== "..") kept.push(part);
    else if (kept.length > 0 && kept.at(-1) !== "") kept.pop();
  }
  return scheme + kept.join("/");
}
