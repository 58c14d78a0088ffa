import type { PairFile } from "./pair-file.ts";

/**
 * Why nothing in a bundle can ever map a frame, as a sentence for the build log; undefined: something can. Sentry drops such
 * bundles without a word, so that the build is green and stays minified.
 */
export function whyUnusable(files: readonly PairFile[], release: string | undefined): string | undefined {
  const usable = files.filter(({ type }) => type === "minified_source" || type === "source_map");
  if (usable.length === 0) {
    return "The bundle has no minified script and no source map. Build with source maps, and upload the folder that the build writes.";
  }
  if (release === undefined && usable.every(({ debugIds }) => debugIds.length === 0)) {
    return "The bundle has neither debug ids nor a release, so no event can find its files. Run `sentry-cli sourcemaps inject` before the upload, or upload with --release.";
  }
  return undefined;
}
