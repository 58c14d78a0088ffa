import type { JsonField } from "../json.ts";

/**
 * A name that people see in lists and messages, such as a title or a place: its addresses have no user, query or
 * fragment, which may hold secrets. A fragment that is a route stays, see publicAddress.
 */
export function publicName(name: string): string {
  if (!/[?#@]/.test(name)) return name; // as most names
  return name
    .replaceAll(addresses, (address) => {
      let end = address.length;
      while (punctuation.includes(address[end - 1] ?? " ")) end--;
      return publicAddress(address.slice(0, end)) + address.slice(end);
    })
    .replaceAll(parameters, "");
}

/** A text that was sent, as a public name. It is to be cut after that, because half a secret is still a secret. */
export function publicText(sent: JsonField): JsonField {
  return typeof sent === "string" ? publicName(sent) : sent;
}

/**
 * An address without user, query and fragment. A fragment that begins with `/` or `!/` is the page of an application and
 * stays, without its own query: `https://shop.example.com/#/orders/7`.
 */
export function publicAddress(address: string): string {
  const { page, route } = partsOf(address);
  return page + withoutParameters(route);
}

export interface AddressParts {
  /** The address without user, query and fragment. */
  readonly page: string;
  readonly query: string;
  /** The fragment with its `#` if it is a route; its own query has no secrets. */
  readonly route: string;
}

/** Divides an address. */
export function partsOf(address: string): AddressParts {
  const hash = address.indexOf("#");
  const before = hash < 0 ? address : address.slice(0, hash);
  const fragment = hash < 0 ? "" : address.slice(hash);
  const mark = before.indexOf("?");
  return {
    page: (mark < 0 ? before : before.slice(0, mark)).replace(user, "$1"),
    query: mark < 0 ? "" : before.slice(mark + 1),
    route: routeOf(fragment),
  };
}

/** A fragment that is a route, without secrets; empty for any other, such as `#access_token=...` or a heading. */
export function routeOf(fragment: string): string {
  return /^#!?\//.test(fragment) ? fragment.replaceAll(secretParameter, "$1[Filtered]") : "";
}

const secretNames =
  String.raw`[\w.[\]-]{0,40}(?:token|secret|passw|passphrase|pwd|(?:api|access|private)[-_]?key|authori[sz]ation|session|` +
  String.raw`signature|credential|jwt)[\w.[\]-]{0,40}|auth|key|otp|pass|pw|sid|sig`;

/** A secret in the query or the fragment of an address, or in a form: `access_token=...`, of which the name is captured. */
export const secretParameter = new RegExp(String.raw`(?<![^?&#;/!])((?:${secretNames})=)[^&#;\s"'<>]+`, "gi");

// A scheme has a bound, because a text of many words would otherwise be read once for each of its letters.
const addresses = /\b[a-z][a-z\d+.-]{0,20}:\/\/[^\s"'<>`]+/gi;
/** Ends an address in a sentence. */
const punctuation = ")]}.,;:!?";
/** A query, or a fragment like a query, of an address without a host. */
const parameters = /(?<=[\w/])[?#][\w.%[\]-]{1,100}=[^\s"'<>`]*/g;
const user = /^((?:[a-z][a-z\d+.-]{0,20}:)?\/\/)[^/]*@/i;

function withoutParameters(route: string): string {
  const end = route.search(/[?&]|[\w.[\]-]{1,100}=\[Filtered\]/);
  return end < 0 ? route : route.slice(0, end);
}
