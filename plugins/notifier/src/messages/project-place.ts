import type { ProjectPlace } from "./error-message.ts";

/** Where a project's errors are in the console. */
export const projectPlace = (path: string, baseUrl: string): ProjectPlace => ({
  path,
  url: `${baseUrl.replace(/\/+$/, "")}/${path}/-/error_tracking`,
});
