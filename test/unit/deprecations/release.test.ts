import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isRelease, monthOf, releasedAt, releasedBefore } from "../../../plugins/deprecations/src/release.ts";

const releases = suite("releases");

const day = (ms: number) => new Date(ms).toISOString();

for (const [release, date] of [
  ["13.0", "2020-05-22"],
  ["13.11", "2021-04-22"],
  ["14.0", "2021-06-22"],
  ["14.10", "2022-04-22"],
  ["15.0", "2022-05-22"],
  ["15.11", "2023-04-22"],
  ["16.0", "2023-05-22"],
  ["16.5", "2023-10-22"],
  ["16.6", "2023-11-16"],
  ["16.7", "2023-12-21"],
  ["16.11", "2024-04-18"],
  ["17.0", "2024-05-16"],
  ["18.0", "2025-05-15"],
] as const) {
  releases(`${release} came out on ${date}`, () => assert.is(day(releasedAt(release)), `${date}T00:00:00.000Z`));
}

for (const [release, before] of [
  ["18.0", "17.11"],
  ["16.7", "16.6"],
  ["15.0", "14.10"],
] as const) {
  releases(`${before} is the release before ${release}`, () => {
    assert.is(releasedBefore(release), releasedAt(before));
    assert.is(monthOf(release) - monthOf(before), 1);
  });
}

for (const text of ["16.0", "17.11", "13.12", "14.10", "100.3"]) {
  releases(`${text} is a release`, () => assert.ok(isRelease(text)));
}

for (const text of [
  "",
  "17",
  "17.0.1",
  "17.12",
  "14.11",
  "17.01",
  "017.0",
  "v17.0",
  " 17.0",
  "17.-1",
  "1000.0",
  "a.b",
]) {
  releases(`"${text}" is not a release`, () => assert.not(isRelease(text)));
}

releases.run();
