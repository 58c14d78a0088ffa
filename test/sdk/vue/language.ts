import { bundledPage } from "../browser/bundled-page.ts";
import { getStarted } from "../get-started.ts";
import type { Language } from "../language.ts";

/** A component that throws when Vue mounts it. */
export const vue: Language = {
  name: "vue",
  sdk: "@sentry/vue",
  version: "11.11.0",
  ...bundledPage(import.meta.dirname, ["get-started.js"]),
  features: [getStarted],
  remarks: ["with Vue 3.5.45; only the lines of the Get started page"],
};
