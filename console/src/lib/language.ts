/** The platforms that SDKs name. */

/** Python prints the oldest call first; every other language we know prints the newest first. */
export const oldestFirst = (platform: string) => platform === "python";

const names: Record<string, string> = {
  node: "Node.js",
  javascript: "JavaScript",
  python: "Python",
  java: "Java",
  go: "Go",
  php: "PHP",
  ruby: "Ruby",
  rust: "Rust",
  native: "Native",
  csharp: ".NET",
  other: "Other",
};

export const platformName = (platform: string) => names[platform] ?? platform;
