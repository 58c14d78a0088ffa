import { preferenceCookies, preferenceMaxAge, type Preferences } from "./preferences.ts";

/** Stores a preference in its cookie. Call it in the browser. */
export function keepPreference(name: keyof Preferences, value: string): void {
  document.cookie = `${preferenceCookies[name]}=${encodeURIComponent(value)}; path=/; max-age=${preferenceMaxAge}; samesite=lax`;
}
