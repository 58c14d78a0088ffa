import { feedbackFeatures } from "../feedback-features.ts";
import { getStarted } from "../get-started.ts";
import type { Language } from "../language.ts";
import { grouped, times } from "../grouping.ts";
import { goesOnAfter413, waitsAfter429 } from "../limits.ts";
import { reportFeatures, wholeLarge } from "../report-features.ts";
import { bundledPage } from "./bundled-page.ts";

const version = "11.12.0";

/** Pages in Chromium with scripts that are bundled with the newest SDK. */
export const newestBrowser: Language = {
  name: "browser",
  sdk: "@sentry/browser",
  version,
  ...bundledPage(import.meta.dirname, ["report.js", "limits.js", "get-started.js", "feedback.js", "grouping.js"]),
  features: [
    ...reportFeatures(version, {
      types: ["RangeError", "PaymentError"],
      raisedIn: "charge",
      unhandled: { type: "Error", level: "error", statesHandled: true },
      large: wholeLarge,
      sessions: { errored: 1 },
      senderAddress: "127.0.0.1",
    }),
    goesOnAfter413,
    waitsAfter429,
    getStarted,
    ...feedbackFeatures({ saysWhere: true, byDialog: "On my foot." }),
    grouped("a script within five pages is one error", "inline", [
      times(5, "TypeError: Cannot read properties of null (reading 'length')"),
    ]),
    grouped("three unnamed handlers are three errors, without a map", "handlers", [
      times(2, "Error: the basket is locked"),
      times(2, "Error: the shop is closed"),
      times(2, "Error: the voucher was used"),
    ]),
  ],
  remarks: [
    "in Chromium, from a page on another origin; CORS lets the SDK read how long it must wait",
    "an unhandled error ends a session as `unhandled`, which counts as errored, not as crashed, because the page continues",
    "asks for the sender's address by default (`infer_ip`), so a user has an address as well as the fields that the page sets",
  ],
};
