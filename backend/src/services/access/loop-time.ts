/**
 * Divides the time that the event loop is busy among the calls that are under way, in equal parts: what all calls together are
 * charged is what the loop worked. A call that works for long has its part of each moment; ten that wait for it have theirs.
 * Reading the meter takes about a microsecond.
 */
export class LoopTime {
  readonly #busyMs: () => number;
  #underWay = 0;
  /** The milliseconds that a call has been charged which is under way from the beginning on. */
  #ofEach = 0;
  #readAt: number;

  /** `busyMs`: how long the loop has been busy so far. */
  constructor(busyMs: () => number) {
    this.#busyMs = busyMs;
    this.#readAt = busyMs();
  }

  /** A call begins; the function that it returns ends the call and says how many milliseconds it is charged. */
  begin(): () => number {
    this.#read();
    this.#underWay++;
    const from = this.#ofEach;
    return () => {
      this.#read();
      this.#underWay--;
      return this.#ofEach - from;
    };
  }

  #read(): void {
    const busy = this.#busyMs();
    if (this.#underWay > 0) this.#ofEach += Math.max(0, busy - this.#readAt) / this.#underWay;
    this.#readAt = busy;
  }
}
