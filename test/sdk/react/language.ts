import { bundledPage } from "../browser/bundled-page.ts";
import { getStarted } from "../get-started.ts";
import type { Language } from "../language.ts";

/** A component that throws while React renders it. */
export const react: Language = {
  name: "react",
  sdk: "@sentry/react",
  version: "11.12.0",
  ...bundledPage(import.meta.dirname, ["get-started.js"]),
  features: [getStarted],
  remarks: ["with React 19.3.1; only the lines of the Get started page"],
};
