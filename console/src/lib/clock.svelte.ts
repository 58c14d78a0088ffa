import { createContext } from "svelte";
import { startOfHour } from "./last-seen.ts";
import type { Preferences } from "./preferences.ts";

const hourMs = 3_600_000;
const jitterMs = 5000; // spreads the browsers that all wait for the full hour

/** The time and the zone that every label of the page follows: one timer instead of one a label. */
export class Clock {
  /** Milliseconds; on the server and until the page has started, the time of the answer. */
  now = $state(0);
  zone = $state("UTC");

  constructor(now: number, preferences: Preferences) {
    this.now = now;
    this.zone = zoneOf(preferences);
  }

  /** Ticks until the returned function is called: every 30 seconds, and just after each full hour. */
  start(): () => void {
    const tick = () => (this.now = Date.now());
    let hourTimer: ReturnType<typeof setTimeout>;
    const waitForHour = () => {
      const left = startOfHour(Date.now()) + hourMs - Date.now();
      hourTimer = setTimeout(
        () => {
          tick();
          waitForHour();
        },
        left + Math.random() * jitterMs,
      );
    };
    tick();
    waitForHour();
    const interval = setInterval(tick, 30_000);
    return () => {
      clearInterval(interval);
      clearTimeout(hourTimer);
    };
  }
}

/** The zone of a person's labels, as far as the server knows it. */
export const zoneOf = ({ times, zone }: Preferences) => (times === "local" && zone !== "" ? zone : "UTC");

const [getClock, setClock] = createContext<Clock>();
export { getClock, setClock };
