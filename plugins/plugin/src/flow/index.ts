/** Small mechanisms that bound how much runs, is kept, is announced and is logged. */
export * from "./backoff.ts";
export * from "./bounded-map.ts";
export * from "./delayed.ts";
export * from "./fair-queue.ts";
export * from "./loop-slices.ts";
export * from "./once-per.ts";
export * from "./recent-times.ts";
export * from "./token-bucket.ts";
