/** The most that one announcement may hold, in bytes of UTF-8: PostgreSQL passes on messages of less than 8,000. */
export const mostAnnouncedBytes = 7_500;

/**
 * Messages between the processes of one installation, such as that settings changed. With SQLite there is one process, so
 * nothing is sent or received.
 */
export interface Announcements {
  /**
   * Sends a text to all other processes within some milliseconds, and never to the one that sends. Nothing is kept or
   * repeated: the others learn of a lost text by `onMissed`. Throws when the text is longer than `mostAnnouncedBytes`.
   */
  announce(subject: string, text: string): void;
  /** Calls the handler with each text of a subject. A text that it cannot read, as of another release, counts as missed. */
  subscribe(subject: string, handler: (text: string) => void): void;
  /**
   * Calls the handler when announcements may have been lost, so that it forgets what others may have changed: twice a
   * second while the others cannot be heard, and once when they can be heard again.
   */
  onMissed(handler: () => void): void;
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
