/** Bundles the page scripts; names of functions stay, since stacks are asserted. */
export default {
  build: {
    minify: false,
    rolldownOptions: { input: ["report.js", "limits.js"], output: { entryFileNames: "[name].js" } },
  },
};
