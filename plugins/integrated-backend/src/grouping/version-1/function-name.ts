/** A function's name without the parts that compilers and runtimes renumber each time; empty when nothing is left. */
export function functionName(platform: string, name: string): string {
  if (name === "") return "";
  switch (platform) {
    case "javascript":
    case "node": {
      const last = name.slice(name.lastIndexOf(".") + 1);
      return isUnnamed(last) ? "" : last;
    }
    case "java":
      return name.startsWith("lambda$") ? "" : name;
    case "php":
      return /^\[Anonymous|^class@anonymous/.test(name) ? "" : name;
    case "ruby":
      return name.startsWith("block ") ? "block" : name.replace(/__\d{4,}_\d{4,}/g, "");
    case "native":
      return /^<(unknown|redacted)>$/.test(name) ? "" : name.replace(/::h[0-9a-f]{16}$/, "");
    default:
      return name;
  }
}

/** Whether a JavaScript runtime named an anonymous function so. Comparing lengths first, as this does, spares each name a hash. */
function isUnnamed(name: string): boolean {
  switch (name) {
    case "?":
    case "<anonymous>":
    case "anonymous":
    case "Anonymous function":
    case "eval":
      return true;
    default:
      return false;
  }
}
