/**
 * How much of an event is kept; the numbers of section 10 of our protocol reference, in words in docs/limits.md.
 * Characters are UTF-16 units, and a text that is cut ends with `...` inside its limit. Nothing here refuses an event:
 * the excess is left out, and named in `Event.trimmed`.
 */
export const limits = {
  /** Characters of one text. */
  text: {
    message: 8192,
    /** One parameter of a message. */
    parameter: 1024,
    exceptionValue: 8192,
    exceptionType: 256,
    /** Functions, modules and packages of frames. */
    symbol: 256,
    path: 256,
    contextLine: 1024,
    title: 256,
    /** The type's share of a title. */
    titleType: 128,
    culprit: 200,
    transaction: 200,
    release: 200,
    environment: 64,
    platform: 64,
    logger: 64,
    serverName: 256,
    tag: 200,
    userName: 128,
    email: 75,
    url: 256,
    query: 8192,
    requestData: 8192,
    fingerprint: 200,
    /** A user's report on an event. */
    feedback: 4096,
    /** Words such as a mechanism's type, a breadcrumb's category, an SDK's version. */
    word: 128,
    /** The name of a part that was cut. */
    trimmedPart: 256,
  },
  /** Entries of one list. Exceptions, frames and breadcrumbs keep the newest, the others the first. */
  count: {
    exceptions: 50,
    frames: 250,
    /** Frames of all stacks of an event that are shown: frames of exceptions first, then frames of threads. */
    eventFrames: 1000,
    /** Frames of one stack that keep their source lines and variables. */
    framesWithContext: 50,
    /** Source lines before, and after, the line of a call. */
    contextLines: 10,
    threads: 100,
    breadcrumbs: 100,
    tags: 100,
    fingerprint: 100,
    /** Cuts that are reported of one event. */
    trims: 50,
  },
  /** Free data: `depth` levels, and about `size` characters each, of all of them together `total`. */
  trimmedJson: {
    extra: { depth: 7, size: 16_384, total: 262_144 },
    contexts: { depth: 7, size: 16_384, total: 262_144 },
    vars: { depth: 5, size: 4_096, total: 4_096 },
    breadcrumb: { depth: 5, size: 2_048, total: 2_048 },
    user: { depth: 5, size: 8_192, total: 8_192 },
    request: { depth: 7, size: 8_192, total: 8_192 },
  },
  /** Characters of all names and values of a table of texts: headers, cookies, modules. */
  record: 8_192,
  /** An event time is between these, seen from the time of receipt, in milliseconds. */
  time: {
    /** As long as errors are kept (specification section 8). */
    past: 90 * 24 * 3_600_000,
    future: 60_000,
    /** A session may have started this long before it is received. */
    sessionPast: 5 * 24 * 3_600_000,
    /** A difference between the sender's clock and ours from which on the event's times are corrected. */
    drift: 55 * 60_000,
  },
} as const;
