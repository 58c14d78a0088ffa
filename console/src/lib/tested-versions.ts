import { languages } from "./snippets.ts";

/** Parts of SDK names, as sent in events, by the key of their language. */
const sdkNames: Record<string, (typeof languages)[number]["key"]> = {
  "sentry.go": "go",
  "sentry.java": "java",
  "sentry.javascript.node": "node",
  "sentry.php": "php",
  "sentry.python": "python",
  "sentry.ruby": "ruby",
  "sentry.rust": "rust",
};

/** The version of an SDK that was tested. Empty: the SDK is not among the tested ones. */
export function testedVersion(sdkName: string): string {
  const match = Object.keys(sdkNames).find((name) => sdkName === name || sdkName.startsWith(`${name}.`));
  const key = match === undefined ? undefined : sdkNames[match];
  return languages.find((language) => language.key === key)?.version ?? "";
}
