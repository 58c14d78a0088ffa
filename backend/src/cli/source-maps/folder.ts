import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { CommandFault } from "../output.ts";

/** What the service takes. */
interface FolderLimits {
  /** Files of a bundle, its manifest included. */
  readonly entries: number;
  readonly fileBytes: number;
}

/**
 * The files of a folder and of those below it, as a build wrote them, in the order of their names. `isWanted` chooses by the
 * path. Packages in `node_modules` and links are left out. Refuses a folder of too many files; a file that is too large is
 * refused where it is read.
 */
export async function folderAt(
  root: string,
  isWanted: (path: string) => boolean,
  { entries, fileBytes }: FolderLimits,
) {
  const mostFiles = entries - 1;
  const paths: string[] = [];
  const look = async (below: string): Promise<void> => {
    const found = await readdir(join(root, below), { withFileTypes: true }).catch(notReadable);
    for (const entry of found.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory() && entry.name !== "node_modules") await look(path);
      else if (entry.isFile() && isWanted(path)) paths.push(path);
      if (paths.length > mostFiles) {
        throw new CommandFault(`${root} has more than ${mostFiles} scripts and maps. Name its folders one by one.`);
      }
    }
  };
  await look("");
  if (paths.length === 0) {
    throw new CommandFault(
      `${root} has no script and no source map. Build with source maps, and name the folder that the build writes.`,
    );
  }
  return { paths, read: (path: string) => contentOf(join(root, path), fileBytes) };
}

async function contentOf(path: string, mostBytes: number): Promise<Buffer> {
  const { size } = await stat(path).catch(notReadable);
  if (size > mostBytes) {
    throw new CommandFault(
      `${path} has more than ${mostBytes / 1024 / 1024} MiB. Split the bundle into smaller chunks.`,
    );
  }
  return readFile(path).catch(notReadable);
}

function notReadable(error: unknown): never {
  throw new CommandFault(`The build cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
}
