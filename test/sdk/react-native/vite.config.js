/** Does what Metro does for the web: it takes the files for it first, and says whether it is a development build. */
export default {
  resolve: { extensions: [".web.js", ".js"] },
  define: { __DEV__: "false" },
  build: {
    minify: false,
    rolldownOptions: { input: "get-started.js", output: { entryFileNames: "[name].js" } },
  },
};
