import adapter from "@sveltejs/adapter-node";
import { sveltekit } from "@sveltejs/kit/vite";
import { defineConfig, type Plugin } from "vite";

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
      adapter: adapter(),
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
  // The schema package is TypeScript source, so it is bundled; the rest is resolved from node_modules at run time.
  ssr: { noExternal: ["@faultline/plugin", "@faultline/proto"] },
});
