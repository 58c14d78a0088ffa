/** The newest SDK versions that `npm run test:sdk` has run, which the get-started page installs. */
export const newestVersions = {
  go: "0.50.0",
  java: "8.62.0",
  node: "11.12.0",
  python: "2.75.0",
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
