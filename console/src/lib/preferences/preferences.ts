/** Display preferences, kept in cookies that the browser may write and the server reads for the first paint. */

export const themes = ["system", "light", "dark"] as const;
export const timeZones = ["local", "utc"] as const;
export const frameViews = ["app", "all", "raw"] as const;
export const frameOrders = ["language", "newest", "oldest"] as const;

export type Theme = (typeof themes)[number];
export type TimeZoneChoice = (typeof timeZones)[number];
export type FrameView = (typeof frameViews)[number];
export type FrameOrder = (typeof frameOrders)[number];

export interface Preferences {
  readonly theme: Theme;
  readonly times: TimeZoneChoice;
  /** The IANA time zone reported by the browser; empty if unknown. */
  readonly zone: string;
  readonly shortcuts: boolean;
  readonly frames: FrameView;
  readonly order: FrameOrder;
}

export const preferenceCookies = {
  theme: "faultline_theme",
  times: "faultline_times",
  zone: "faultline_zone",
  shortcuts: "faultline_shortcuts",
  frames: "faultline_frames",
  order: "faultline_order",
} satisfies Record<keyof Preferences, string>;

export const preferenceMaxAge = 365 * 86_400;

export function readPreferences(cookie: (name: string) => string | undefined): Preferences {
  return {
    theme: oneOf(themes, cookie(preferenceCookies.theme)),
    times: oneOf(timeZones, cookie(preferenceCookies.times)),
    zone: knownZone(cookie(preferenceCookies.zone)),
    shortcuts: cookie(preferenceCookies.shortcuts) !== "off",
    frames: oneOf(frameViews, cookie(preferenceCookies.frames)),
    order: oneOf(frameOrders, cookie(preferenceCookies.order)),
  };
}

/** The given value if it is a choice, otherwise the first choice. */
export function oneOf<const T extends readonly [string, ...string[]]>(choices: T, value: unknown): T[number] {
  return choices.find((choice) => choice === value) ?? choices[0];
}

function knownZone(value: string | undefined): string {
  if (value === undefined || value === "") return "";
  try {
    return new Intl.DateTimeFormat("en", { timeZone: value }).resolvedOptions().timeZone;
  } catch {
    return ""; // the cookie may hold anything; an unknown zone counts as unset
  }
}
