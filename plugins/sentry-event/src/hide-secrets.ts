import { secretParameter } from "./naming/public-name.ts";

const filtered = "[Filtered]";

/**
 * Replaces secrets by `[Filtered]`, for readers who may not change the project: the values of headers and variables that
 * carry credentials, cookies, `Bearer` and `Basic` credentials in texts, users and secret parameters of addresses, and the
 * numbers of payment cards. Works on the fields of an event and on its JSON, also within texts that are JSON themselves. A value without secrets is returned unchanged;
 * JSON in which something is hidden is written again, so its layout and numbers of more than 15 digits may change.
 *
 * Bounded: values deeper than 100 levels are hidden, and after 100 texts of JSON that name a secret further ones.
 */
export function hideSecrets<T>(value: T): T {
  return new SecretSearch().hidden(value, 0) as T;
}

/** Whether a header, or a variable of the server such as `HTTP_COOKIE`, carries credentials. */
export function isSecretName(name: string): boolean {
  if (name.length > longestName) return false;
  return secretNames.has(
    name
      .toLowerCase()
      .replaceAll("_", "-")
      .replace(/^http-/, ""),
  );
}

const names = [
  "authorization",
  "cookie",
  "cookies",
  "private-token",
  "proxy-authorization",
  "set-cookie",
  "x-api-key",
  "x-auth-token",
  "x-csrf-token",
];
const secretNames: ReadonlySet<string> = new Set(names);
const longestName = 40;
const maxLevels = 100;
const maxJsonTexts = 100;

const namePattern = names.map((name) => name.replaceAll("-", "[-_]")).join("|");
const namesSecret = new RegExp(`(?:${namePattern})`, "i");
const headerLine = new RegExp(`^([ \\t]*(?:${namePattern})[ \\t]*:[ \\t]*)[^\\r\\n]+`, "gim");
// A word after "Basic" or "Bearer" is taken for a credential by a digit or its length: "Basic authentication" stays.
const credential = /\b(Bearer|Basic)([ \t]+)(?=[\w.~+/=-]*\d|[\w.~+/=-]{24})[\w.~+/=-]{6,}/gi;
const userOfAddress = /(\b[a-z][a-z\d+.-]{0,20}:\/\/)[^/\s"'<>@]{1,256}@/gi;
const cardDigits = /(?<![\w.-])(?:\d[ -]?){12,18}\d(?![\w-])/g;
const looksLikeJson = /^\s*(?:\{\s*"|\[\s*[[{"])/;

class SecretSearch {
  #jsonTexts = 0;

  hidden(value: unknown, level: number): unknown {
    if (typeof value === "string") return this.#hiddenText(value, level);
    if (typeof value === "number") return isCard(String(value)) ? filtered : value;
    if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
    if (level > maxLevels) return filtered;
    return Array.isArray(value) ? this.#hiddenList(value, level) : this.#hiddenObject(value, level);
  }

  #hiddenList(list: readonly unknown[], level: number): unknown {
    const [name, value] = list;
    if (list.length === 2 && typeof name === "string" && isSecretName(name)) return [name, filteredWhole(value)];
    const shown = list.map((entry) => this.hidden(entry, level + 1));
    return shown.every((entry, index) => Object.is(entry, list[index])) ? list : shown;
  }

  #hiddenObject(object: object, level: number): unknown {
    const entries = Object.entries(object);
    const named = (object as { key?: unknown }).key ?? (object as { name?: unknown }).name;
    const valueIsSecret = typeof named === "string" && isSecretName(named);
    let isChanged = false;
    const shown = entries.map(([name, value]): [string, unknown] => {
      const isSecret = isSecretName(name) || (valueIsSecret && name === "value");
      const hidden = isSecret ? filteredWhole(value) : this.hidden(value, level + 1);
      isChanged ||= !Object.is(hidden, value);
      return [name, hidden];
    });
    return isChanged ? Object.fromEntries(shown) : object;
  }

  #hiddenText(text: string, level: number): string {
    const shown = text
      .replaceAll(headerLine, `$1${filtered}`)
      .replaceAll(credential, `$1$2${filtered}`)
      .replaceAll(userOfAddress, `$1${filtered}@`)
      .replaceAll(secretParameter, `$1${filtered}`)
      .replaceAll(cardDigits, (digits) => (isCard(digits.replaceAll(/[ -]/g, "")) ? filtered : digits));
    const mayHide = shown !== text || namesSecret.test(text);
    return mayHide && looksLikeJson.test(text) ? this.#hiddenJson(text, level) : shown;
  }

  /** A text that begins like JSON and is not, such as a body that was cut off, is hidden as a whole. */
  #hiddenJson(text: string, level: number): string {
    this.#jsonTexts += 1;
    if (this.#jsonTexts > maxJsonTexts) return filtered;
    try {
      const value: unknown = JSON.parse(text);
      const shown = this.hidden(value, level + 1);
      return shown === value ? text : JSON.stringify(shown);
    } catch {
      return filtered;
    }
  }
}

/** Names stay, such as the names of cookies. An empty value hides nothing. */
function filteredWhole(value: unknown): unknown {
  if (value === "" || value === null || value === undefined || typeof value === "boolean") return value;
  if (typeof value !== "object" || Array.isArray(value)) return filtered;
  const keys = Object.keys(value);
  return keys.length === 0 ? value : Object.fromEntries(keys.map((name) => [name, filtered]));
}

// The beginnings and lengths of Visa, Mastercard, American Express, Diners Club, JCB, Discover and UnionPay.
const issued =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|35\d{14}|6(?:011|4[4-9]\d|5\d\d|2\d\d)\d{12})$/;

/** Whether digits are the number of a payment card: an issuer's, with a right check digit (Luhn). */
function isCard(digits: string): boolean {
  if (!issued.test(digits)) return false;
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index]);
    const counted = index % 2 === 1 ? digit * 2 : digit;
    sum += counted > 9 ? counted - 9 : counted;
  }
  return sum % 10 === 0;
}
