/** The time windows that pages offer. They end with the running hour. */

export const periods = ["24h", "7d", "30d", "90d"] as const;
export type Period = (typeof periods)[number];

/** The windows of an error's chart. */
export const errorPeriods = ["24h", "7d", "90d"] as const satisfies readonly Period[];

export const periodHours: Record<Period, number> = { "24h": 24, "7d": 168, "30d": 720, "90d": 2160 };

/** `7 days`. */
export const periodNames: Record<Period, string> = {
  "24h": "24 hours",
  "7d": "7 days",
  "30d": "30 days",
  "90d": "90 days",
};
