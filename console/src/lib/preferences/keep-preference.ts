import { preferenceCookies, preferenceMaxAge, type Preferences } from "./preferences.ts";

/** Keeps a preference from the browser. */
export function keepPreference(name: keyof Preferences, value: string): void {
  document.cookie = `${preferenceCookies[name]}=${encodeURIComponent(value)}; path=/; max-age=${preferenceMaxAge}; samesite=lax`;
}
