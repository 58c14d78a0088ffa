import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

/** The folders with the console parts of the plugins in this repository. */
export const ownFolders = globSync("../plugins/*/src/console", { cwd: import.meta.dirname }).map((folder) =>
  join(import.meta.dirname, folder),
);

/**
 * Collects the console parts of plugins when the console is built: `virtual:plugins/<name>` has the default exports of the files
 * `<name>.ts` in all `folders`.
 */
export function pluginParts(folders: readonly string[]): Plugin {
  const prefix = "\0virtual:plugins/";
  return {
    name: "plugin-parts",
    resolveId: (id) => (`\0${id}`.startsWith(prefix) ? `\0${id}` : undefined),
    load(id) {
      if (!id.startsWith(prefix)) return undefined;
      const files = folders.map((folder) => join(folder, `${id.slice(prefix.length)}.ts`)).filter(existsSync);
      const imports = files.map((file, n) => `import part${n} from ${JSON.stringify(file.replaceAll("\\", "/"))};`);
      return [...imports, `export default [${files.map((_, n) => `part${n}`).join(", ")}];`].join("\n");
    },
  };
}
