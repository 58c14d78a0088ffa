/** Bytes of a request body, as sent and after decompression (protocol reference, section 10). */
export const maxBodyBytes = {
  store: { compressed: 1024 * 1024, decoded: 2 * 1024 * 1024 },
  envelope: { compressed: 20 * 1024 * 1024, decoded: 50 * 1024 * 1024 },
} as const;

/** Bytes of one event's JSON. */
export const maxEventBytes = 1024 * 1024;
