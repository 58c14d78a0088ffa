import type { Level } from "../messages/message.ts";

const colors: Readonly<Record<Level, number>> = {
  fatal: 0x8b1538,
  error: 0xc62828,
  warning: 0xb26a00,
  info: 0x1f5fae,
  debug: 0x5f6b7a,
};

/** The colour of a level, 24 bits. */
export const colorOf = (level: Level): number => colors[level];

/** As `#c62828`. */
export const hexColorOf = (level: Level): string => `#${colors[level].toString(16).padStart(6, "0")}`;
