import type { Command } from "./command.ts";

/** Installs what the package.json in `dir` asks for; `--prefix` keeps npm from looking for one above. */
export function npmInstall(dir: string): Command {
  return {
    words: ["npm", "install", "--prefix", dir, "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts"],
    cwd: dir,
    limitSeconds: 240,
  };
}
