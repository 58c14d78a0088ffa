/** What a client knows of the events it sent: the other side of every promise about them. */
export class Ledger {
  /** All ids ever put on the wire. */
  readonly sent = new Set<string>();
  /** Ids answered 2xx after the whole answer was read. */
  readonly acknowledged = new Set<string>();
  /** Answers by status. */
  readonly statuses = new Map<number, number>();

  /** Notes an id before its first byte is written. */
  willSend(id: string): void {
    this.sent.add(id);
  }

  /** Notes an answer after its last byte is read. */
  answered(id: string, status: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (status >= 200 && status < 300) this.acknowledged.add(id);
  }

  /** Ids of which the client cannot know whether they were stored. */
  unacknowledged(): string[] {
    return [...this.sent].filter((id) => !this.acknowledged.has(id));
  }
}
