import { delimiter, resolve, join } from "node:path";
import { existsSync, globSync } from "node:fs";
import adapter from "@sveltejs/adapter-node";
import { sveltekit } from "@sveltejs/kit/vite";
import { defineConfig, type Plugin } from "vite";

/** The folders with the console parts of the plugins in this repository. */
const ownFolders = globSync("../plugins/*/src/console", { cwd: import.meta.dirname }).map((folder) =>
  join(import.meta.dirname, folder),
);

/**
 * Collects the console parts of plugins when the console is built: `virtual:plugins/<name>` has the default exports of the files
 * `<name>.ts` in all `folders`.
 */
function pluginParts(folders: readonly string[]): Plugin {
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

/**
 * FAULTLINE_CONSOLE_PLUGINS: more folders with console parts of plugins, separated as in PATH (docs/plugins.md).
 * FAULTLINE_CONSOLE_BUILD: the folder for the built console. Default `build`.
 */
const { FAULTLINE_CONSOLE_PLUGINS: added = "", FAULTLINE_CONSOLE_BUILD: out = "build" } = process.env;
const folders = [...ownFolders, ...added.split(delimiter).flatMap((folder) => (folder ? resolve(folder) : []))];

/**
 * Chromium compiles the marked files while they come, in another thread; otherwise it compiles each function when it is first
 * called, in the task that makes the page live: 210 ms of it instead of 110 on a processor four times as slow
 * (https://v8.dev/blog/explicit-compile-hints). Vite puts a line of its own before banners, and the mark must be the first.
 */
const compiledAhead: Plugin = {
  name: "compiled-ahead",
  applyToEnvironment: ({ name }) => name === "client",
  generateBundle: {
    order: "post",
    handler(_options, bundle) {
      for (const file of Object.values(bundle))
        if (file.type === "chunk") file.code = `//# allFunctionsCalledOnLoad\n${file.code}`;
    },
  },
};

export default defineConfig({
  plugins: [
    sveltekit({
      adapter: adapter({ out }),
      outDir: out === "build" ? ".svelte-kit" : `.svelte-kit/${out}`, // two builds may run at the same time
      paths: { relative: false },
      // hooks.server.ts refuses what other sites send, forms and all else, and says what to do about it.
      csrf: { trustedOrigins: ["*"] },
      csp: {
        mode: "nonce",
        directives: {
          "default-src": ["self"],
          "script-src": ["self"],
          "style-src": ["self"],
          // SvelteKit's announcer of page titles carries this one style attribute.
          "style-src-attr": ["unsafe-hashes", "sha256-S8qMpvofolR8Mpjy4kQvEm7m1q8clzU4dfDH0AmvZjo="],
          "img-src": ["self"],
          "object-src": ["none"],
          "base-uri": ["none"],
          "form-action": ["self"],
          "frame-ancestors": ["none"],
        },
      },
    }),
    pluginParts(folders),
    compiledAhead,
  ],
  environments: {
    client: {
      build: {
        rolldownOptions: {
          output: {
            codeSplitting: {
              groups: [
                // SvelteKit hands over its version before the rest may run. Together with it, the version would be
                // unknown, and each refused form whose address differs from the page's would reload the page.
                { name: "payload", test: /client.payload\.js$|preload-helper/, priority: 1 },
                // What the root layout needs is on every page, and panels are on most. In one file instead of a dozen it is 2.7 kB less.
                { name: "shell", test: /src.routes.\+layout\.svelte$|components.Panel\.svelte$/ },
              ],
            },
          },
        },
      },
    },
  },
  // Packages of this repository are TypeScript source, so they are bundled; the rest is resolved from node_modules at run time.
  ssr: { noExternal: [/^@faultline\//] },
  server: { fs: { allow: folders } },
});
