import { join } from "node:path";
import { repositoryRoot } from "../../support/service/server.ts";
import { probe } from "../command.ts";
import type { Language } from "../language.ts";
import { goesOnAfter413, waitsAfter429 } from "../limits.ts";
import { npmInstall } from "../npm-install.ts";
import { reportFeatures, wholeLarge } from "../report-features.ts";
import { chromiumPath } from "../../support/console/chromium-path.ts";

const folder = import.meta.dirname;
const version = "11.12.0";

/** Pages in Chromium, whose scripts are bundled with the newest SDK. */
export const newestBrowser: Language = {
  name: "browser",
  sdk: "@sentry/browser",
  version,
  build: (dir) => [
    probe(chromiumPath, "--version"),
    { words: ["cp", "report.js", "limits.js", "vite.config.js", dir], cwd: folder, limitSeconds: 10 },
    { words: ["cp", "newest.json", join(dir, "package.json")], cwd: folder, limitSeconds: 10 },
    npmInstall(dir),
    {
      words: [process.execPath, join(repositoryRoot, "node_modules/vite/bin/vite.js"), "build", "--logLevel=error"],
      cwd: dir,
      limitSeconds: 120,
    },
  ],
  start: (dir, program) => ({
    words: [process.execPath, "open.ts", join(dir, "dist"), program],
    cwd: folder,
    limitSeconds: 60,
  }),
  features: [
    ...reportFeatures(version, {
      types: ["RangeError", "PaymentError"],
      raisedIn: "charge",
      unhandled: { type: "Error", level: "error", tellsHandled: true },
      large: wholeLarge,
      sessions: { errored: 1 },
    }),
    goesOnAfter413,
    waitsAfter429,
  ],
  remarks: [
    "in Chromium, from a page on another origin: CORS lets the SDK read how long it must wait",
    "an unhandled error ends a session as `unhandled`, which counts as errored and not as crashed: the page lives on",
  ],
};
