/** Things to end after the test file that started them, oldest first. */
const ofFile: (() => void)[] = [];
/** Things that a lane keeps for its next files. */
const ofProcess: (() => void)[] = [];

process.on("exit", () => {
  endFile();
  run(ofProcess);
});
process.once("SIGTERM", () => process.exit(1)); // the runner's time limit; without a handler, `exit` would not be emitted

/**
 * Ends something with the test file, in case it fails before it ends the thing itself, or with the process. `end` is
 * synchronous, because a process that ends waits for nothing.
 */
export function atEndOf(what: "file" | "process", end: () => void): void {
  (what === "file" ? ofFile : ofProcess).push(end);
}

/** Ends everything that the test file left. */
export function endFile(): void {
  run(ofFile);
}

function run(ends: (() => void)[]): void {
  for (const end of ends.splice(0).toReversed()) end();
}
