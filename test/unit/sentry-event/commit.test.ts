import { commitOf } from "@faultline/sentry-event";
import { suite } from "uvu";
import * as assert from "uvu/assert";

const commits = suite("the commit of a release");

const sha = "8f14e45fceea167a5a36dedd4bea2543c1f1d0b6";
const sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

const table: [release: string, commit: string][] = [
  [sha, sha],
  [sha256, sha256],
  [`web@${sha}`, sha],
  [`web@1.2.3+${sha}`, sha],
  [`@acme/web@${sha}`, sha],
  ["8f14e45", "8f14e45"],
  ["web@1.2.3+8f14e45fceea", "8f14e45fceea"],
  ["v1.2.3-4-g8f14e45", "8f14e45"],
  ["web@v1.2.3-0-g1234567", "1234567"],
  ["", ""],
  ["shop@1.2.3", ""],
  ["web@1.0.0+build.7", ""],
  ["1234567", ""],
  ["20261122", ""],
  ["web@1234567", ""],
  ["deadbee", ""],
  ["web@defaced", ""],
  ["8f14e4", ""],
  ["8f14e45fceea1", ""],
  [`${sha}0`, ""],
  [sha.toUpperCase(), ""],
  [`web-${sha}`, ""],
  [`${sha}-dirty`, ""],
  ["v1.2.3-4-g8f14e45-dirty", ""],
  ["../8f14e45", ""],
];
for (const [release, commit] of table)
  commits(`${JSON.stringify(release)} names ${commit || "none"}`, () => assert.is(commitOf(release), commit));

commits.run();
