import { join } from "node:path";
import * as assert from "uvu/assert";
import { bundledPage } from "../browser/bundled-page.ts";
import type { Feature } from "../feature.ts";
import { getStarted } from "../get-started.ts";
import type { Language } from "../language.ts";

const folder = import.meta.dirname;
const version = "8.28.0";

/** The SDK consists of the SDKs of React and the browser, which would report the same under other names. */
const isItself: Feature = {
  name: "version of the SDK",
  program: "get-started",
  check({ events }) {
    assert.equal(
      events.map(({ sdk }) => [sdk?.name, sdk?.version]),
      [["sentry.javascript.react-native", version]],
    );
  },
};

/** A button that throws when it is pressed, on the web: phones and their emulators need more than a package registry. */
export const reactNative: Language = {
  name: "react-native",
  sdk: "@sentry/react-native",
  version,
  ...bundledPage(folder, ["App.jsx", "get-started.js"], join(folder, "vite.config.js")),
  features: [getStarted, isItself],
  remarks: [
    "in Chromium with react-native-web 0.21.4 and React 19.3.1, not on a phone, where the native parts of the SDK send; only the lines of the Get started page",
  ],
};
