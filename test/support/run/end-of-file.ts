/** What is ended when the test file that began it has run, oldest first. */
const ofFile: (() => void)[] = [];
/** The same of what a lane keeps for its further files. */
const ofProcess: (() => void)[] = [];

process.on("exit", () => {
  endFile();
  run(ofProcess);
});
process.once("SIGTERM", () => process.exit(1)); // the runner's time limit: without a handler `exit` would not come

/**
 * Has something ended with the test file, which may have failed before it did so itself, or with the process. Both are
 * synchronous, as a process that ends waits for nothing.
 */
export function atEndOf(what: "file" | "process", end: () => void): void {
  (what === "file" ? ofFile : ofProcess).push(end);
}

/** Ends what the test file has left. */
export function endFile(): void {
  run(ofFile);
}

function run(ends: (() => void)[]): void {
  for (const end of ends.splice(0).toReversed()) end();
}
