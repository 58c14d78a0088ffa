import { existsSync } from "node:fs";

/**
 * The browser of the tests. The headless shell, Chromium without windows, comes first: the pages of
 * long/browser/admin.test.ts took 36 s of a core in it, and 46 s in the complete program.
 */
const places = ["chromium-headless-shell", "chromium"].map((name) => `/usr/bin/${name}`);

export const chromiumPath = process.env["CHROMIUM"] ?? places.find(existsSync) ?? "/usr/bin/chromium";
