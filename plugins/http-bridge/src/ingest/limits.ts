/** Bytes of a request body, before and after decompression (protocol reference, section 10). */
export const maxBodyBytes = {
  store: { compressed: 1024 * 1024, decoded: 2 * 1024 * 1024 },
  envelope: { compressed: 20 * 1024 * 1024, decoded: 50 * 1024 * 1024 },
} as const;

/**
 * The largest windows of compressed bodies, in bytes. A decoder allocates its window regardless of the decoded size: 97
 * bytes of brotli with a 24-bit window take 16 MiB. The defaults of all encoders are within these limits (brotli: 22
 * bits; zstd up to level 15: 2 MiB or less).
 */
export const maxWindowBytes = { br: 4 * 1024 * 1024, zstd: 2 * 1024 * 1024 } as const;

/** The maximum expansion of a body beyond 1 MiB: text expands 3 to 30 times, a bomb up to a million. */
export const maxExpansion = 200;

/**
 * The most compressed bodies to stream concurrently, and the most that wait. A streamed body holds a window and a
 * thread.
 */
export const decoders = { atOnce: 4, waiting: 32 } as const;

/** Bytes of an event's JSON. */
export const maxEventBytes = 1024 * 1024;

/** Levels of objects and lists in an event. */
export const maxEventDepth = 64;

/**
 * Values in an event, including objects and lists. The sessions, feedback and reports of an envelope have the same
 * limit together. SDKs trim their events to far less; reading 50,000 takes a thread 3 to 20 ms.
 */
export const maxEventValues = 50_000;

/**
 * The item types whose payloads are read, and the maximum bytes of all items of a type in one envelope. Items of other
 * types are skipped and only counted.
 */
export const maxItemBytes = {
  event: maxEventBytes,
  session: 1024 * 1024,
  sessions: 1024 * 1024,
  user_report: 100 * 1024,
  feedback: 100 * 1024,
  client_report: 100 * 1024,
} as const;

/** Items of an envelope. */
export const maxEnvelopeItems = 200;

/** Bytes of a header line of an envelope. Header lines of Java and Node take 300 to 900. */
export const maxHeaderBytes = 16 * 1024;

/**
 * The maximum entries to read: session items of an envelope, buckets of a counted-sessions item and of all such items
 * in an envelope, losses of a report, CSP reports of a request. SDKs send one counted-sessions item per envelope. Each
 * bucket may be a separate user: SQLite's writer takes 40 microseconds to store it, so 300 hold it for 12 ms, and
 * 10,000 for 330 ms.
 */
export const maxEntries = {
  sessionItems: 100,
  sessionBuckets: 100,
  sessionBucketsTogether: 300,
  clientReport: 100,
  cspReports: 100,
} as const;

/** The most that one entry may add to an outcome count, because the SDK is its only source. */
export const maxQuantity = 1_000_000;
