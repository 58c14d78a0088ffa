import { invalidField, millisecondsOf } from "@faultline/plugin";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { limits } from "../limits.ts";

/** The name of a release, without spaces around it. Refuses a name that no event could have. */
export function readVersion(text: string): string {
  const version = text.trim();
  if (version === "" || version.length > limits.version || !isPlain(version)) {
    throw invalidField("version", `Name the release: 1 to ${limits.version} characters without line breaks.`);
  }
  return version;
}

/** The name of an environment, without spaces around it. */
export function readEnvironment(text: string): string {
  const environment = text.trim();
  if (environment === "" || environment.length > limits.environment || !isPlain(environment)) {
    throw invalidField(
      "environment",
      `Name the environment of the deploy, such as production: 1 to ${limits.environment} characters without line breaks.`,
    );
  }
  return environment;
}

/** A name that may be empty, without spaces around it. */
export function readName(field: string, text: string): string {
  const name = text.trim();
  if (name.length > limits.name || !isPlain(name)) {
    throw invalidField(field, `Use at most ${limits.name} characters and no line breaks.`);
  }
  return name;
}

/** The address of a page for people: pages link to it, so it is http or https. May be empty. */
export function readUrl(text: string): string {
  const url = text.trim();
  if (url === "") return "";
  if (url.length > limits.url || !/^https?:\/\/[^\s\p{Cc}]+$/iu.test(url) || !URL.canParse(url)) {
    throw invalidField(
      "url",
      `Enter an address that begins with https:// or http://, at most ${limits.url} characters.`,
    );
  }
  return url;
}

/** Milliseconds since 1970; undefined if no time is given. Refuses times before 1970 and beyond the year 9999. */
export function readTime(field: string, time: Timestamp | undefined): number | undefined {
  if (time === undefined) return undefined;
  const ms = millisecondsOf(time);
  if (ms >= 0 && ms <= latest) return ms;
  throw invalidField(field, "The time must lie between 1970 and 9999.");
}

const latest = Date.UTC(9999, 11, 31);

const isPlain = (text: string) => text.isWellFormed() && !/\p{Cc}/u.test(text);

/** A text that each database can store, cut to `length` characters. */
export const cutText = (text: string, length: number) => text.slice(0, length).toWellFormed().replaceAll("\0", "");
