import { sentryEsbuildPlugin } from "@sentry/esbuild-plugin";
import { build } from "esbuild";
import sveltePlugin from "esbuild-svelte";

await build({
  entryPoints: ["page.js"],
  outdir: "dist",
  bundle: true,
  minify: true,
  format: "esm",
  sourcemap: true,
  jsx: "automatic",
  mainFields: ["svelte", "browser", "module", "main"],
  conditions: ["svelte", "browser"],
  plugins: [sveltePlugin({ compilerOptions: { css: "injected" } }), sentryEsbuildPlugin({ telemetry: false })],
});
