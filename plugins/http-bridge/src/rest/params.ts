import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { timestamp } from "@faultline/plugin";
import { badParameter } from "./http-error.ts";
import { isoDay } from "./iso-time.ts";

/** Names and values from query, form or JSON; an operation reads those it knows, and the others are passed over. */
export type Params = Readonly<Record<string, unknown>>;

/** A text parameter; undefined when it is not given. */
export function textParam(params: Params, name: string): string | undefined {
  const value = params[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw badParameter(name, "is invalid");
  return value;
}

/** A text parameter that must be given. */
export function requiredText(params: Params, name: string): string {
  const value = required(textParam(params, name), name);
  if (value === "") throw badParameter(name, "is empty");
  return value;
}

/** One of some words; undefined when it is not given. */
export function choiceParam<Choice extends string>(
  params: Params,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const value = textParam(params, name);
  const choice = choices.find((one) => one === value);
  if (value !== undefined && choice === undefined) throw badParameter(name, "does not have a valid value");
  return choice;
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
  return required(booleanParam(params, name), name);
}

/** A whole number from 1, as JSON or as text; undefined when it is not given. */
export function numberParam(params: Params, name: string): number | undefined {
  const value = params[name];
  if (value === undefined || value === null) return undefined;
  const number = wholeNumber(value);
  if (number === undefined) throw badParameter(name, "is invalid");
  return number;
}

/** A list of texts, as JSON or as text with commas; undefined when it is not given. */
export function textsParam(params: Params, name: string): string[] | undefined {
  const value = params[name];
  if (value === undefined || value === null) return undefined;
  const list: unknown[] =
    value === "" ? [] : typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : [0];
  if (!list.every((one) => typeof one === "string")) throw badParameter(name, "is invalid");
  return list;
}

/** The revision that was read, 0 for what was never saved; undefined when it is not given. */
export function revisionParam({ revision }: Params): number | undefined {
  if (revision === undefined || revision === null) return undefined;
  if (!/^\d{1,9}$/.test(String(revision))) throw badParameter("revision", "is invalid");
  return Number(revision);
}

/** A day such as `2024-05-01`, as its first moment in UTC; undefined when it is not given. */
export function dayParam(params: Params, name: string): Timestamp | undefined {
  const value = textParam(params, name);
  if (value === undefined) return undefined;
  const time = timestamp(Date.parse(`${value}T00:00Z`) || 0);
  if (isoDay(time) !== value) throw badParameter(name, "is invalid"); // also a 30th of February, which is read as March
  return time;
}

/** An object of further parameters, which only JSON can carry; undefined when it is not given. */
export function objectParam(params: Params, name: string): Params | undefined {
  const value = params[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "object" || Array.isArray(value)) throw badParameter(name, "is invalid");
  return value as Params; // an object, as checked
}

/** A value that must be given. */
export function required<Value>(value: Value | undefined, name: string): Value {
  if (value === undefined) throw badParameter(name, "is missing");
  return value;
}

/**
 * A whole number from 1 in a path or parameter; undefined when it is none. Only its plain form counts, so that an id has
 * one address: `01`, `+1`, `1e1` and ` 1` are none.
 */
export function wholeNumber(text: unknown): number | undefined {
  const digits = typeof text === "number" ? String(text) : text;
  return typeof digits === "string" && /^[1-9]\d{0,8}$/.test(digits) ? Number(digits) : undefined;
}
