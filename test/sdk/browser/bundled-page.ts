import { join } from "node:path";
import { chromiumPath } from "../../support/console/chromium-path.ts";
import { repositoryRoot } from "../../support/service/server.ts";
import { probe } from "../command.ts";
import type { Language } from "../language.ts";
import { npmInstall } from "../npm-install.ts";

const folder = import.meta.dirname;

/** Page scripts of a folder, bundled with the SDK that its newest.json names, in Chromium. */
export function bundledPage(
  scripts: string,
  names: readonly string[],
  config = join(folder, "vite.config.js"),
): Pick<Language, "build" | "start"> {
  return {
    build: (dir) => [
      probe(chromiumPath, "--version"),
      { words: ["cp", ...names, dir], cwd: scripts, limitSeconds: 10 },
      { words: ["cp", config, dir], cwd: folder, limitSeconds: 10 },
      { words: ["cp", "newest.json", join(dir, "package.json")], cwd: scripts, limitSeconds: 10 },
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
  };
}
