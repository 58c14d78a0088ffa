/** The pattern of a path in which `:name` stands for one part; a trailing slash may follow. */
export function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/:(\w+)/g, "(?<$1>[^/]+)").replaceAll(".", "\\.")}/?$`);
}
