import { badParameter } from "./http-error.ts";

type Params = Readonly<Record<string, unknown>>;

/** A text parameter; undefined when it is not given. */
export function textParam(params: Params, name: string): string | undefined {
  const value = params[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw badParameter(name, "is invalid");
  return value;
}

/** A boolean parameter, as JSON or as text; undefined when it is not given. */
export function booleanParam(params: Params, name: string): boolean | undefined {
  const value = params[name];
  if (value === undefined || value === null) return undefined;
  if (value === "") throw badParameter(name, "is empty");
  if (value === true || value === "true" || value === "1") return true;
  if (value === false || value === "false" || value === "0") return false;
  throw badParameter(name, "is invalid");
}

/** A boolean parameter that must be given. */
export function requiredBoolean(params: Params, name: string): boolean {
  const value = booleanParam(params, name);
  if (value === undefined) throw badParameter(name, "is missing");
  return value;
}

/** A whole number in a path or parameter; undefined when it is none. */
export function wholeNumber(text: unknown): number | undefined {
  const digits = typeof text === "number" ? String(text) : text;
  return typeof digits === "string" && /^[1-9]\d{0,8}$/.test(digits) ? Number(digits) : undefined;
}
