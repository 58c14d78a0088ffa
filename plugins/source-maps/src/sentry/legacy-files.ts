import type { HttpAnswer, HttpCall } from "@faultline/plugin";
import { detail } from "./answers.ts";

/**
 * `.../releases/:version/files/` and `.../releases/:version/assemble/`: the files of a release one by one, as sentry-cli 2 uploads
 * them with `files` and `releases files`. Release 3 no longer has these commands.
 */
export async function refuseFiles(call: HttpCall): Promise<HttpAnswer> {
  await checkToken(call);
  return detail(
    410,
    "Files of a release are not uploaded one by one. Upload the folder with `sentry-cli sourcemaps upload`.",
  );
}

/** The list of these files, which `sourcemaps explain` of sentry-cli 2 also reads. */
export async function refuseFileList(call: HttpCall): Promise<HttpAnswer> {
  await checkToken(call);
  return detail(
    410,
    "Files of a release are not listed one by one: `faultline sourcemaps list` and the page Source maps show uploads by `sentry-cli sourcemaps upload`. The page of an event and `faultline sourcemaps explain` show why a frame is minified.",
  );
}

/** Refuses a token that may not upload. */
const checkToken = (call: HttpCall) => call.core.sourceMaps.getUploadLimits({}, call);
