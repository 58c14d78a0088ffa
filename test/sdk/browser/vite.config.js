import { globSync } from "node:fs";

/** Bundles the page scripts; names of functions stay, since stacks are asserted. */
export default {
  build: {
    minify: false,
    rolldownOptions: {
      input: globSync("*.js", { cwd: import.meta.dirname, exclude: ["vite.config.js"] }),
      output: { entryFileNames: "[name].js" },
    },
  },
};
