/** The fields of a frame that name its file; see Frame. */
export interface FramePlace {
  readonly filename: string;
  readonly absPath: string;
  readonly module: string;
}

/**
 * The path of a frame's file in the repository; undefined where it is unknown. SDKs send it in full (Node, Go),
 * relative (Python, Ruby), as a name with the class (Java), or as a name with the path beside it (Rust, PHP). The part
 * after the root of a full path is certain, the others are taken as they are.
 */
export function repositoryPath({ filename, absPath, module }: FramePlace, root: string): string | undefined {
  const [full = "", name = ""] = [absPath, filename].map((path) => path.replaceAll("\\", "/"));
  const inRoot = root === "" ? undefined : [full, name].find((path) => path.startsWith(root));
  if (inRoot !== undefined) return ownFile(inRoot.slice(root.length));
  if (isRelative(full) && full !== name) return ownFile(full);
  const isElsewhere = full !== name && (root !== "" || /^https?:/i.test(full));
  if (isElsewhere || !isRelative(name)) return undefined;
  const directories = module.split(".").slice(0, -1);
  return ownFile(ofClass.test(name) ? [...directories, name].join("/") : name);
}

/** Whether a path is neither empty nor a full path, and has no scheme or drive. */
const isRelative = (path: string) => /^(?!\/|[a-z][\w+.-]*:)./is.test(path);

/** A file without a directory whose frames name a class. */
const ofClass = /^[^/]+\.(?:java|kt|scala|groovy)$/;

/** Leaves out files that are not in the repository although some SDKs mark their frames as the application's. */
function ownFile(path: string): string | undefined {
  const file = path.replace(/^(?:\.\/)+/, "");
  return foreign.test(file) ? undefined : file;
}

/** Packages, Node's own modules, and names that are no files, such as `<anonymous>` and `[native code]`. */
const foreign = /(?:^|\/)(?:node_modules|site-packages|dist-packages)\/|^internal\/.*\.js$|[<>]|^\[[^/]*\]$/;
