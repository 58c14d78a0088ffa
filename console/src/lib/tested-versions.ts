/** The SDK client version that was tested with each language: specification 4.2. */
export const testedVersions = {
  go: "0.20.0",
  java: "6.18.1",
  node: "7.38.0",
  php: "3.18.0",
  python: "1.21.0",
  ruby: "5.9.0",
  rust: "0.31.0",
} as const;

/** SDK names, as sent in events, with the key of their language. Integrations add to the name: `sentry.python.django`. */
const sdkNames: readonly (readonly [name: string, language: keyof typeof testedVersions])[] = [
  ["sentry.go", "go"],
  ["sentry.java", "java"],
  ["sentry.javascript.node", "node"],
  ["sentry.php", "php"],
  ["sentry.python", "python"],
  ["sentry.ruby", "ruby"],
  ["sentry.rust", "rust"],
];

/** The version of an SDK that was tested. Empty: the SDK is not among the tested ones. */
export function testedVersion(sdkName: string): string {
  const match = sdkNames.find(([name]) => sdkName === name || sdkName.startsWith(`${name}.`));
  return match === undefined ? "" : testedVersions[match[1]];
}
