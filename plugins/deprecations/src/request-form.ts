type Parameters = Readonly<Record<string, unknown>>;

/** The form of requests that a notice concerns. */
export interface RequestForm {
  /**
   * Method and path, such as `GET /projects/:id/ci/lint`; `*` is any method. Paths are below /api/v4, except paths that
   * begin with `/-/`.
   */
  readonly on: readonly string[];
  /** Whether a request to such an address is concerned; undefined if all are. */
  readonly uses?: (parameters: Parameters) => boolean;
  /** The answer after the removal: `gone` is 410, `refused` is 400. */
  readonly meets: "gone" | "refused";
}

/** Whether a request to this address may have one of the forms, judged by method and path alone. */
export function isAddressed({ on }: RequestForm, method: string, path: string): boolean {
  return on.some((address) => {
    const [verb, pattern = ""] = address.split(" ", 2);
    return (verb === "*" || verb === method) && addressPattern(pattern).test(path);
  });
}

/** Whether a request names one of the parameters. */
export function given(...names: readonly string[]) {
  return (parameters: Parameters) => names.some((name) => valueOf(parameters, name) !== undefined);
}

/** Whether a request names one of the parameters with a value longer than `limit` characters. */
export function longerThan(limit: number, ...names: readonly string[]) {
  return (parameters: Parameters) => names.some((name) => lengthOf(parameters, name) > limit);
}

/** Whether a request names the parameter with a value shorter than `limit` characters. */
export function shorterThan(limit: number, name: string) {
  return (parameters: Parameters) => given(name)(parameters) && lengthOf(parameters, name) < limit;
}

/** Whether a request pages by one of these parameters instead of keyset pagination. */
export function offsetPagination(...names: readonly string[]) {
  return (parameters: Parameters) => {
    const pagination = textOf(parameters, "pagination");
    if (pagination !== undefined) return pagination !== "keyset";
    return given(...names)(parameters);
  };
}

/** A parameter's value as text; undefined if the request omits it. */
export function textOf(parameters: Parameters, name: string): string | undefined {
  const value = valueOf(parameters, name);
  if (value === undefined) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}

function lengthOf(parameters: Parameters, name: string): number {
  return [...(textOf(parameters, name) ?? "")].length;
}

/** Forms and queries send a list or an object as `name[]`, `name[0]` and `name[key]`. */
function valueOf(parameters: Parameters, name: string): unknown {
  const isNamed = (key: string) => key === name || key.startsWith(`${name}[`);
  return Object.entries(parameters).find(([key, value]) => isNamed(key) && value !== null)?.[1];
}

const patterns = new Map<string, RegExp>();

function addressPattern(path: string): RegExp {
  const known = patterns.get(path);
  if (known) return known;
  const full = path.startsWith("/-/") ? path : `/api/v4${path}`;
  const pattern = new RegExp(`^${full.replace(/:\w+/g, "[^/]+")}/?$`);
  patterns.set(path, pattern);
  return pattern;
}
