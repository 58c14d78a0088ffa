import { createContext } from "svelte";
import { startOfHour } from "./last-seen.ts";
import type { Preferences } from "../preferences/preferences.ts";

const hourMs = 3_600_000;

/** The time and the zone for every label and chart of the page, with a single timer instead of a timer per label. */
export class Clock {
  /** Milliseconds. On the server, and until the page has started, this is the time of the answer. */
  now = $state(0);
  /** The start of the running hour. */
  readonly hour = $derived(startOfHour(this.now));
  /** Whether the tab is visible. */
  isSeen = $state(true);
  zone = $state("UTC");

  constructor(now: number, preferences: Preferences) {
    this.now = now;
    this.zone = zoneOf(preferences);
  }

  /**
   * Ticks until the returned function is called: every 30 seconds, at each full hour, and when the page becomes visible
   * again. After sleep, timers fire late, because they do not count the time asleep.
   */
  start(): () => void {
    let hourTimer: ReturnType<typeof setTimeout>;
    const tick = () => {
      this.now = Date.now();
      this.isSeen = document.visibilityState === "visible";
      clearTimeout(hourTimer);
      hourTimer = setTimeout(tick, this.hour + hourMs - this.now);
    };
    tick();
    const interval = setInterval(tick, 30_000);
    const listening = new AbortController();
    for (const type of ["visibilitychange", "pageshow", "focus", "online"])
      addEventListener(type, tick, { signal: listening.signal });
    return () => {
      clearInterval(interval);
      clearTimeout(hourTimer);
      listening.abort();
    };
  }
}

/** The zone of a person's labels, if the server knows it. */
export const zoneOf = ({ times, zone }: Preferences) => (times === "local" && zone !== "" ? zone : "UTC");

const [getClock, setClock] = createContext<Clock>();
export { getClock, setClock };
