import { join } from "node:path";
import { chromiumPath } from "../../support/console/chromium-path.ts";
import { probe } from "../command.ts";
import type { Language } from "../language.ts";
import { npmInstall } from "../npm-install.ts";
import { buildFeatures } from "./features.ts";

const folder = import.meta.dirname;
const sources = ["page.js", "checkout.ts", "doors.js", "Till.tsx", "Basket.svelte"];
const open = join(folder, "../browser/open.ts");

/** The newest of Sentry's plugins that installed when this was written. Each builds the same sources, with the bundler's own plugins. */
export const buildsWithMaps: readonly Language[] = [
  build("vite", "11.9.0", "newest.json", "vite.config.js", "the plugin uploads with the package `sentry`"),
  build("vite", "5.4.1", "5.4.1.json", "vite.config.js", "the plugin uploads with sentry-cli 2"),
  build("webpack", "11.8.0", "newest.json", "webpack.config.js", "the plugin uploads with the package `sentry`"),
  build("rollup", "5.4.0", "newest.json", "rollup.config.js", "the plugin uploads with sentry-cli 2"),
  build("esbuild", "5.4.0", "newest.json", "build.js", "the plugin uploads with sentry-cli 2"),
];

/** A bundler with Sentry's plugin at a version. The file `packages` installs both. */
function build(name: string, version: string, packages: string, config: string, remark: string): Language {
  const own = join(folder, name);
  return {
    name,
    sdk: `@sentry/${name}-plugin`,
    version,
    build: (dir) => [
      probe(chromiumPath, "--version"),
      { words: ["cp", ...sources, dir], cwd: join(folder, "sources"), limitSeconds: 10 },
      { words: ["cp", config, dir], cwd: own, limitSeconds: 10 },
      { words: ["cp", packages, join(dir, "package.json")], cwd: own, limitSeconds: 10 },
      npmInstall(dir),
    ],
    start: (dir) => [
      // In HOME the package `sentry` notes which server it used last, and would ask that one.
      { words: ["npm", "run", "build"], cwd: dir, limitSeconds: 120, env: { HOME: dir } },
      { words: [process.execPath, open, join(dir, "dist"), "page"], cwd: dir, limitSeconds: 60 },
    ],
    features: buildFeatures,
    remarks: [remark],
  };
}
