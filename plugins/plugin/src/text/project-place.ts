/** What messages of a project need. */
export interface ProjectPlace {
  readonly path: string;
  /** The address of its list of errors. */
  readonly url: string;
}

/** Where a project's errors are in the console. */
export const projectPlace = (path: string, baseUrl: string): ProjectPlace => ({
  path,
  url: `${baseUrl.replace(/\/+$/, "")}/${path}/-/error_tracking`,
});
