/**
 * Bundles the service and the command line into `build`, with the dependencies that are ES modules: a start that opens 300
 * files instead of 1,200 takes 0.8 s instead of 1.4 on two cores, and the idle service takes 12 MiB less.
 */
import { isBuiltin } from "node:module";
import { defineConfig } from "rolldown";

/** Dependencies that are ES modules of many files. Those written for `require`, and the driver, stay packages. */
const bundled = /^(@faultline|@mikro-orm|@bufbuild|@trpc|@bomb\.sh|kysely|commander|fast-string-truncated-width)(\/|$)/;

export default defineConfig({
  input: "src/cli/faultline.ts",
  platform: "node",
  external: (id) => isBuiltin(id) || (isPackage(id) && !bundled.test(id)),
  output: { dir: "build", format: "esm", chunkFileNames: "[name].js", sourcemap: true, cleanDir: true },
});

function isPackage(id: string): boolean {
  return !/^[./#\0]/.test(id);
}
