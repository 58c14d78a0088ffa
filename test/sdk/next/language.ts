import { join } from "node:path";
import { getStarted } from "../get-started.ts";
import type { Language } from "../language.ts";
import { npmInstall } from "../npm-install.ts";

const folder = import.meta.dirname;

/** A route that throws in a built application. */
export const next: Language = {
  name: "next",
  sdk: "@sentry/nextjs",
  version: "11.0.0",
  build: (dir) => [
    { words: ["cp", "-R", "app", "instrumentation.js", "get-started.mjs", dir], cwd: folder, limitSeconds: 10 },
    { words: ["cp", "newest.json", join(dir, "package.json")], cwd: folder, limitSeconds: 10 },
    npmInstall(dir),
    {
      words: [process.execPath, "node_modules/next/dist/bin/next", "build"],
      cwd: dir,
      limitSeconds: 240,
      env: { NEXT_TELEMETRY_DISABLED: "1" },
    },
  ],
  start: (dir) => ({
    words: [process.execPath, "get-started.mjs"],
    cwd: dir,
    limitSeconds: 60,
    env: { NEXT_TELEMETRY_DISABLED: "1" },
  }),
  features: [getStarted],
  remarks: [
    "with Next.js 16.4.6; only the lines of the Get started page, on the server. Newer versions require a version of `@sentry/cloudflare` that our registry did not have",
  ],
};
