import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  frameOrders,
  frameViews,
  oneOf,
  preferenceCookies,
  readPreferences,
  themes,
  timeZones,
  type Preferences,
} from "../../../console/src/lib/preferences/preferences.ts";

const initial: Preferences = {
  theme: "system",
  times: "local",
  zone: "",
  shortcuts: true,
  frames: "app",
  order: "language",
};

/** The preferences of a browser with these cookies, by the name of the preference. */
const read = (cookies: Partial<Record<keyof Preferences, string>>) => {
  const byCookie = new Map(
    (Object.keys(preferenceCookies) as (keyof Preferences)[]).map((name) => [preferenceCookies[name], cookies[name]]),
  );
  return readPreferences((name) => byCookie.get(name as (typeof preferenceCookies)[keyof Preferences]));
};

const preferences = suite("preferences");

preferences("a new browser has the first choice of each", () => assert.equal(read({}), initial));

preferences("every preference has a cookie of its own", () => {
  const names = Object.values(preferenceCookies);
  assert.is(new Set(names).size, names.length);
  assert.equal(Object.keys(preferenceCookies).toSorted(), Object.keys(initial).toSorted());
});

for (const [name, choices] of [
  ["theme", themes],
  ["times", timeZones],
  ["frames", frameViews],
  ["order", frameOrders],
] as const) {
  for (const choice of choices) {
    preferences(`${name} ${choice} is kept`, () =>
      assert.equal(read({ [name]: choice }), { ...initial, [name]: choice }),
    );
  }
}

for (const value of ["", "Dark", "dark; path=/", "<script>", "toString", "__proto__", "x".repeat(10_000)]) {
  preferences(`${JSON.stringify(value.slice(0, 20))} is no choice and counts as not given`, () => {
    const cookies = { theme: value, times: value, zone: value, shortcuts: value, frames: value, order: value };
    assert.equal(read(cookies), initial);
  });
}

preferences("only off switches the single keys off", () => {
  assert.is(read({ shortcuts: "off" }).shortcuts, false);
  for (const value of ["on", "false", "0"]) assert.is(read({ shortcuts: value }).shortcuts, true);
});

for (const [zone, known] of [
  ["Europe/Berlin", "Europe/Berlin"],
  ["UTC", "UTC"],
  ["europe/berlin", "Europe/Berlin"],
  ["Mars/Olympus", ""],
  ["Europe/Berlin\u0000", ""],
  ["", ""],
] as const) {
  preferences(`the zone ${JSON.stringify(zone)} is ${known || "unknown"}`, () => assert.is(read({ zone }).zone, known));
}

preferences("a choice is one of its list, else the first", () => {
  assert.is(oneOf(["a", "b"], "b"), "b");
  for (const value of ["c", "", null, undefined, 1, ["b"]]) assert.is(oneOf(["a", "b"], value), "a");
});

preferences.run();
