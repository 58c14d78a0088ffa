/** The maximum size of an announcement in bytes of UTF-8, because PostgreSQL delivers messages of less than 8,000. */
export const mostAnnouncedBytes = 7_500;

/**
 * Messages between the processes of one installation, for example that settings changed. SQLite has a single process,
 * so nothing is sent or received.
 */
export interface Announcements {
  /**
   * Sends a text to all other processes within some milliseconds, but not to the sender. Nothing is stored or repeated:
   * other processes learn of a lost text through `onMissed`. Throws if the text is longer than `mostAnnouncedBytes`.
   */
  announce(subject: string, text: string): void;
  /**
   * Calls the handler with each text of a subject. An unreadable text, for example from another release, counts as
   * missed.
   */
  subscribe(subject: string, handler: (text: string) => void): void;
  /**
   * Calls the handler when announcements may have been lost, so that it drops data that other processes may have
   * changed: twice a second while there is no connection, and once when the connection is restored.
   */
  onMissed(handler: () => void): void;
}

/**
 * Packs values into JSON lists that each fit an announcement. A value that is too large for an announcement is left
 * out.
 */
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
