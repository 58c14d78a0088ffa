import type { FramePlace } from "./library-rules.ts";

/**
 * Whether grouping takes a frame for the application's own code where the SDK does not say: not in the well-known places
 * of libraries (end of section 9.2). Go leaves `in_app` out when it is false. A change here is a new grouping version;
 * what is shown follows library-rules.ts.
 */
export function isInApp(frame: FramePlace): boolean {
  switch (frame.platform) {
    case "go":
      return false;
    case "java":
      return !JAVA_LIBRARY.test(frame.module);
    case "node":
    case "javascript":
      return !/^(?:node:|internal\/)|(?:^|[\\/])node_modules[\\/]/.test(frame.path);
    case "python":
      return !/(?:^|[\\/])(?:site|dist)-packages[\\/]|[\\/]lib[\\/]python\d|^<frozen /.test(frame.path);
    case "ruby":
      return !/[\\/]gems[\\/]|[\\/]lib[\\/]ruby[\\/]/.test(frame.path);
    case "php":
      return !/(?:^|[\\/])vendor[\\/]/.test(frame.path);
    case "native":
    case "rust":
      return !/^<?(?:std|core|alloc)::/.test(frame.function) && !/^\/rustc\/|\.cargo\/registry\//.test(frame.path);
    default:
      return true;
  }
}

const JAVA_LIBRARY = /^(?:java|javax|jakarta|sun|com\.sun|jdk|kotlin|kotlinx|scala|org\.springframework)\./;
