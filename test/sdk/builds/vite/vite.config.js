import { sentryVitePlugin } from "@sentry/vite-plugin";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

export default defineConfig({
  build: {
    sourcemap: true,
    rolldownOptions: { input: "page.js", output: { entryFileNames: "[name].js" } },
  },
  plugins: [svelte(), sentryVitePlugin({ telemetry: false })],
});
