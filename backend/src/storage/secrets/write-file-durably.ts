import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Writes a file that only its owner can read, so that after a power cut it is either complete or missing. */
export function writeFileDurably(path: string, content: string): void {
  const draft = `${path}.new`;
  rmSync(draft, { force: true });
  const file = openSync(draft, "wx", 0o600); // a new file: never through a link, never with rights of others
  try {
    writeFileSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
  const directory = openSync(dirname(path), "r");
  try {
    fsyncSync(directory); // the rename is recorded in the directory
  } finally {
    closeSync(directory);
  }
}
