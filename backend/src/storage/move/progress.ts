const intervalMs = 1_000;

/** Reports the progress of a move, at most once a second. */
export class MoveProgress {
  readonly #report: (text: string) => void;
  #reportedAt = performance.now();

  constructor(report: (text: string) => void) {
    this.#report = report;
  }

  /** Begins a table of that many rows and returns a function that takes the number done. */
  table(name: string, total: number): (rows: number) => void {
    let done = 0;
    return (rows) => {
      done += rows;
      const now = performance.now();
      if (now - this.#reportedAt < intervalMs) return;
      this.#reportedAt = now;
      const share = total === 0 ? 100 : Math.min(100, Math.floor((done / total) * 100));
      this.#report(`${name}: ${done.toLocaleString("en")} of ${total.toLocaleString("en")} rows, ${share} %`);
    };
  }
}
