import { SourceMapVerdict as Verdict } from "@faultline/proto";
import { uploadLimits } from "../uploads/limits.ts";
import { mebibyte, readAtMost } from "./reading.ts";

/** Why a frame is not mapped: the cause, and what to do. */
export interface Unmapped {
  readonly verdict: Verdict;
  readonly cause: string;
  readonly nextStep: string;
}

const unmapped = (verdict: Verdict, cause: string, nextStep: string): Unmapped => ({ verdict, cause, nextStep });

/** Why an upload may not be here. */
export const whyAbsent = `it was not uploaded to this project, or was deleted after ${uploadLimits.unusedDays} days without use`;

const upload = "npx sentry-cli sourcemaps inject ./dist && npx sentry-cli sourcemaps upload ./dist";

/** The reasons, in the words that people read. */
export const verdicts = {
  pending: () =>
    unmapped(Verdict.PENDING, "The upload with this file is being read.", "Load this page again in a minute."),
  bundleError: (detail: string) => unmapped(Verdict.BUNDLE_ERROR, `The newest upload could not be used. ${detail}`, ""),
  nothingUploaded: (release: string) =>
    unmapped(
      Verdict.NOTHING_UPLOADED,
      "The file is minified, and no source map is uploaded to this project.",
      `Upload the files of this build with their maps${release === "" ? "" : `, with --release ${release}`}.`,
    ),
  noColumn: () =>
    unmapped(
      Verdict.NO_COLUMN,
      "The event has no column for this frame, and a minified file has only a few lines.",
      "Update the SDK, or the browser, which leaves out the column.",
    ),
  invalidLocation: () =>
    unmapped(Verdict.INVALID_LOCATION, "The event has no line for this frame.", "There is nothing to look up."),
  invalidAbsPath: (path: string) =>
    unmapped(
      Verdict.INVALID_ABS_PATH,
      `${path || "The frame"} is not a file: its code is inline in the page, or was evaluated from a string.`,
      "Move the code into a file of the build.",
    ),
  alreadyMapped: () =>
    unmapped(
      Verdict.ALREADY_MAPPED,
      "The frame already names a source file: the application applied its maps itself.",
      "There is nothing to do. To send debug ids, run Node without --enable-source-maps.",
    ),
  idUnknown: (debugId: string) =>
    unmapped(
      Verdict.ID_UNKNOWN,
      `The file has the debug id ${debugId}, but this project has no upload for it: ${whyAbsent}.`,
      `Upload the files of exactly this build: ${upload}.`,
    ),
  notInjected: () =>
    unmapped(
      Verdict.NOT_INJECTED,
      "The file has no debug id, and the event names no release.",
      "Deploy the files that sourcemaps inject has changed; run it after everything that minifies, and before the deployment.",
    ),
  sdkTooOld: (version: string) =>
    unmapped(
      Verdict.SDK_TOO_OLD,
      `The SDK, ${version}, reports no debug ids, which require 7.56.`,
      "Update the SDK, or set the release in SDK and upload.",
    ),
  releaseUnknown: (release: string) =>
    release === "undefined"
      ? unmapped(
          Verdict.RELEASE_UNKNOWN,
          "The file has no debug id, and the event names the release undefined: a variable of the build was not set.",
          "Set the release in the SDK to the release of the upload, or deploy the files that sourcemaps inject has changed.",
        )
      : unmapped(
          Verdict.RELEASE_UNKNOWN,
          `The file has no debug id, and this project has no upload for the release ${release}: ${whyAbsent}.`,
          `Upload with --release ${release}, or deploy the files that sourcemaps inject has changed.`,
        ),
  wrongDist: (dist: string, others: readonly string[]) =>
    unmapped(
      Verdict.WRONG_DIST,
      `The event is of ${dist === "" ? "no distribution" : `the distribution ${dist}`}, the upload of ${others
        .map((other) => (other === "" ? "none" : other))
        .join(", ")}.`,
      "Set the same distribution in the SDK, as dist, and in the upload, as --dist.",
    ),
  urlMismatch: (url: string, nearest: string | undefined) =>
    unmapped(
      Verdict.URL_MISMATCH,
      `The release has uploads, but none for ${url}${nearest === undefined ? "" : `; the nearest is ${nearest}`}.`,
      "Set --url-prefix of the upload to the address that serves the files, such as ~/assets.",
    ),
  sourceOnly: (url: string) =>
    unmapped(
      Verdict.SOURCE_ONLY,
      `${url} was uploaded without its source map.`,
      "Let the bundler write source maps, and upload them with the files.",
    ),
  mapRefused: (url: string, detail: string) =>
    unmapped(Verdict.MAP_REFUSED, `The source map of ${url} was uploaded and could not be used. ${detail}`, ""),
  mapOnly: (url: string) =>
    unmapped(
      Verdict.MAP_ONLY,
      `The map ${url} was uploaded without its minified file.`,
      "Upload the folder with both.",
    ),
  positionOutside: (line: number, column: number) =>
    unmapped(
      Verdict.POSITION_OUTSIDE,
      `The map has nothing for line ${line}, column ${column}: the deployed file is from another build, or was changed afterwards.`,
      "Upload exactly the deployed files, and clear caches that serve older files.",
    ),
  noText: () =>
    unmapped(
      Verdict.MAPPED_WITHOUT_SOURCE,
      "The map has no text of this source.",
      "Let the bundler write sourcesContent into its maps.",
    ),
  beyondBudget: () =>
    unmapped(
      Verdict.MAPPED_WITHOUT_SOURCE,
      `The frames of this event come from more than ${readAtMost.sources / mebibyte} MiB of source text, the limit for one event, so this frame shows no lines.`,
      "Open the file at this line in your repository.",
    ),
  textLost: () =>
    unmapped(
      Verdict.MAPPED_WITHOUT_SOURCE,
      "The stored text of this source could not be read. This is a fault of Faultline's storage.",
      "Upload the source maps again, and show this to the administrator.",
    ),
  storageLost: () =>
    unmapped(
      Verdict.STORAGE_LOST,
      "The stored map could not be read. This is a fault of Faultline's storage.",
      "Upload the source maps again, and show this to the administrator.",
    ),
};
