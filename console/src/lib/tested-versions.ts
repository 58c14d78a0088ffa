/**
 * The tested SDK client versions: `npm run test:sdk` runs the versions that install, and replays recorded requests of
 * others.
 */

/** The version of each language in specification 4.2. */
export const testedVersions = {
  go: "0.20.0",
  java: "6.18.1",
  node: "7.38.0",
  php: "3.18.0",
  python: "1.21.0",
  ruby: "5.9.0",
  rust: "0.31.0",
} as const;

/** The newest versions that ran. */
export const newestVersions = {
  go: "0.50.0",
  java: "8.62.0",
  node: "11.12.0",
  python: "2.75.0",
  ruby: "5.3.0",
  rust: "0.49.5",
  browser: "11.12.0",
  react: "11.12.0",
  "react-native": "8.28.0",
  vue: "11.11.0",
  next: "11.0.0",
  django: "2.75.0",
  flask: "2.75.0",
  rails: "5.3.0",
  spring: "8.52.0",
  "spring-boot-4": "8.51.0",
} as const;

/** SDK names, as sent in events, with the versions of each. Integrations extend a name, and come before it. */
const sdkVersions: readonly (readonly [name: string, ...versions: string[]])[] = [
  ["sentry.go", testedVersions.go, newestVersions.go],
  ["sentry.java.android"],
  ["sentry.java.spring-boot-4", newestVersions["spring-boot-4"]],
  ["sentry.java.spring-boot", newestVersions.spring],
  ["sentry.java", testedVersions.java, newestVersions.java],
  ["sentry.javascript.browser", newestVersions.browser],
  ["sentry.javascript.nextjs", newestVersions.next],
  ["sentry.javascript.node", testedVersions.node, newestVersions.node],
  ["sentry.javascript.react", newestVersions.react],
  ["sentry.javascript.react-native", newestVersions["react-native"]],
  ["sentry.javascript.vue", newestVersions.vue],
  ["sentry.php.laravel"],
  ["sentry.php", testedVersions.php],
  ["sentry.python", testedVersions.python, newestVersions.python],
  ["sentry.ruby.rails", newestVersions.rails],
  ["sentry.ruby", newestVersions.ruby, testedVersions.ruby],
  ["sentry.rust", testedVersions.rust, newestVersions.rust],
];

/** The tested versions of an SDK, oldest first. Empty if the SDK was not tested. */
export function versionsTested(sdkName: string): readonly string[] {
  const found = sdkVersions.find(([name]) => sdkName === name || sdkName.startsWith(`${name}.`));
  return found?.slice(1) ?? [];
}
