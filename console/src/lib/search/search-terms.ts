import { keyNamed, printTerm, tagsOf } from "@faultline/plugin/search";

/** The search for a tag of an event. */
export const tagFilter = (key: string, value: string) =>
  filter({ key, isTag: keyNamed(key) !== undefined && !isOfLanguage(key) }, value);

/** Whether a key with this name finds the tag. */
const isOfLanguage = (key: string) => tagsOf({ key, isTag: false }).includes(key);

/** The search for a release. */
export const releaseFilter = (version: string) => filter({ key: "release", isTag: false }, version);

/** The search for the errors that were first seen in a release. */
export const firstReleaseFilter = (version: string) => filter({ key: "firstRelease", isTag: false }, version);

const filter = (named: { key: string; isTag: boolean }, value: string) =>
  printTerm({ of: "value", ...named, values: [[value]], isNegated: false, isOnly: false });
