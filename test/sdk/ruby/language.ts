import { join } from "node:path";
import { repositoryRoot } from "../../support/service/server.ts";
import { getStarted } from "../get-started.ts";
import type { Language } from "../language.ts";
import { waitsAfter429 } from "../limits.ts";
import { reportFeatures } from "../report-features.ts";
import { debianPackages } from "./debian-packages.ts";

const version = "5.3.0";

/** Debian's package, because RubyGems may be unreachable. */
export const debianRuby: Language = {
  name: "ruby",
  sdk: "ruby-sentry-ruby",
  version,
  build: (dir) => [
    ...debianPackages(dir, ["ruby", "ruby-sentry-ruby"]),
    {
      words: ["ruby", "-e", `require "sentry-ruby"; exit Sentry::VERSION == "${version}"`],
      cwd: dir,
      limitSeconds: 30,
      provides: `Debian's ruby-sentry-ruby ${version}`,
    },
  ],
  start: (_, program) => ({
    words: ["ruby", join(import.meta.dirname, `${program}.rb`)],
    cwd: repositoryRoot, // the SDK takes code below folders such as `test` for the application's own
    limitSeconds: 30,
  }),
  features: [
    ...reportFeatures(version, {
      types: ["IndexError", "PaymentError"],
      raisedIn: "charge",
      unhandled: { type: "RuntimeError", level: "error", statesHandled: false },
      large: { texts: 45, length: 4000 },
      sessions: { healthy: 2 },
    }),
    waitsAfter429,
    getStarted,
  ],
  remarks: [
    "Debian's package",
    "the SDK has no hook for uncaught exceptions; the program reports them at exit, and the SDK sends no mechanism",
    "the SDK itself drops events above 200 KiB, so it never gets a 413",
  ],
};
