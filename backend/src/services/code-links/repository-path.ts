/** What a frame says of its file; see Frame. */
export interface FramePlace {
  readonly filename: string;
  readonly absPath: string;
  readonly module: string;
}

/**
 * The path of a frame's file in the repository; undefined where it is not known. SDKs send it in full (Node, Go), relative
 * (Python, Ruby), as a name with the class (Java), or as a name with the path beside it (Rust, PHP). What follows the
 * root in a full path is certain, the others are taken as they are.
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

/** Neither empty nor a full path, nor with a scheme or a drive. */
const isRelative = (path: string) => /^(?!\/|[a-z][\w+.-]*:)./is.test(path);

/** A file without directory whose frames name a class. */
const ofClass = /^[^/]+\.(?:java|kt|scala|groovy)$/;

/** Without those that are not in the repository, though some SDKs call their frames the application's. */
function ownFile(path: string): string | undefined {
  const file = path.replace(/^(?:\.\/)+/, "");
  return foreign.test(file) ? undefined : file;
}

/** Packages, Node's own modules, and what is no file, such as `<anonymous>` and `[native code]`. */
const foreign = /(?:^|\/)(?:node_modules|site-packages|dist-packages)\/|^internal\/.*\.js$|[<>]|^\[[^/]*\]$/;
