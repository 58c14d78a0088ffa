import type { HttpAnswer, HttpCall } from "@faultline/plugin";
import { detail } from "./answers.ts";

/**
 * `.../releases/:version/files/` and `.../releases/:version/assemble/`: the files of a release one by one, as sentry-cli 2 uploads
 * them with `files` and `releases files`. Release 3 no longer has these commands.
 */
export async function refuseFiles(call: HttpCall): Promise<HttpAnswer> {
  await call.core.sourceMaps.getUploadLimits({}, call); // a wrong token is refused as such
  return detail(
    410,
    "Files of a release are not uploaded one by one. Upload the folder with `sentry-cli sourcemaps upload`.",
  );
}
