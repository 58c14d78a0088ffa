import commonjs from "@rollup/plugin-commonjs";
import resolve from "@rollup/plugin-node-resolve";
import replace from "@rollup/plugin-replace";
import terser from "@rollup/plugin-terser";
import { sentryRollupPlugin } from "@sentry/rollup-plugin";
import esbuild from "rollup-plugin-esbuild";
import svelte from "rollup-plugin-svelte";

export default {
  input: "page.js",
  output: { dir: "dist", entryFileNames: "[name].js", sourcemap: true },
  plugins: [
    svelte({ emitCss: false }),
    esbuild({ jsx: "automatic", target: "es2022", include: /\.tsx?$/ }),
    resolve({ browser: true, extensions: [".js", ".ts", ".tsx"], exportConditions: ["svelte"] }),
    commonjs(),
    replace({ preventAssignment: true, "process.env.NODE_ENV": JSON.stringify("production") }),
    terser(),
    sentryRollupPlugin({ telemetry: false }),
  ],
};
