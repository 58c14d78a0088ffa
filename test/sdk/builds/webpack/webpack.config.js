import { sentryWebpackPlugin } from "@sentry/webpack-plugin";

const esbuild = { loader: "esbuild-loader", options: { jsx: "automatic", target: "es2022" } };

export default {
  mode: "production",
  devtool: "source-map",
  entry: { page: "./page.js" },
  experiments: { topLevelAwait: true },
  module: {
    rules: [
      { test: /\.tsx?$/, use: esbuild },
      { test: /\.svelte$/, use: { loader: "svelte-loader", options: { compilerOptions: { css: "injected" } } } },
    ],
  },
  resolve: {
    conditionNames: ["svelte", "browser", "import", "default"],
    extensions: [".js", ".ts", ".tsx", ".svelte"],
  },
  performance: false,
  plugins: [sentryWebpackPlugin({ telemetry: false })],
};
