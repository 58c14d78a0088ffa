import { createContext } from "svelte";
import type { TrackedError } from "#lib/messages.ts";

/** The current state of the error on these pages, with its live changes. */
const [getWatchedError, setWatchedError] = createContext<() => TrackedError | null>();
export { getWatchedError, setWatchedError };
