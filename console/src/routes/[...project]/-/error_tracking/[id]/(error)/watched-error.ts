import { createContext } from "svelte";
import type { TrackedError } from "#lib/messages.ts";

/** The error of these pages as it is now, with its live changes. */
const [getWatchedError, setWatchedError] = createContext<() => TrackedError | null>();
export { getWatchedError, setWatchedError };
