/** The most that one announcement may hold, in bytes of UTF-8: PostgreSQL passes on messages of less than 8,000. */
export const mostAnnouncedBytes = 7_500;

/**
 * What the processes of one installation tell each other, such as that settings changed. With SQLite there is one process,
 * which tells nobody and hears nothing.
 */
export interface Announcements {
  /**
   * Tells all other processes, within some milliseconds, and never the one that tells. Nothing is kept or repeated: what
   * could not be told is what the others `missed`. It throws when the text is longer than `mostAnnouncedBytes`.
   */
  tell(subject: string, text: string): void;
  /** Hands over each text of a subject. What a handler cannot read, as of another release, counts as missed. */
  hear(subject: string, handler: (text: string) => void): void;
  /**
   * Tells that something may have been missed: whoever remembers what others may change forgets it. Called twice a second
   * while the others cannot be heard, and once when they can be heard again.
   */
  missed(handler: () => void): void;
}

/** Gathers values in JSON lists that fit an announcement each. A value that fits none is left out. */
export function listsToAnnounce(values: Iterable<unknown>): string[] {
  const lists: string[] = [];
  let entries: string[] = [];
  let bytes = 2;
  const end = () => {
    if (entries.length > 0) lists.push(`[${entries.join()}]`);
    [entries, bytes] = [[], 2];
  };
  for (const value of values) {
    const entry = JSON.stringify(value);
    const entryBytes = Buffer.byteLength(entry) + 1;
    if (2 + entryBytes > mostAnnouncedBytes) continue;
    if (bytes + entryBytes > mostAnnouncedBytes) end();
    entries.push(entry);
    bytes += entryBytes;
  }
  end();
  return lists;
}
