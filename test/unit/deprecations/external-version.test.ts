import { deprecations } from "@faultline/deprecations";
import { suite } from "uvu";
import * as assert from "uvu/assert";

const versions = suite("versions of the external system");

const judge = (version: string | undefined, release: string, isHosted = false) =>
  deprecations({ release, isHosted }).deprecations.externalVersion(version);

for (const version of ["21.5.0", "21.5", "21.10.0", "21.10", "22.1.0", "24.1.0", "100.0.0", "v23.11.2", " 21.5.1 "]) {
  versions(`${version} is supported at every release`, () => {
    for (const release of ["15.11", "16.11", "17.0", "18.0"]) {
      assert.equal(judge(version, release), { isSupported: true, notice: "" }, release);
    }
  });
}

for (const version of ["21.4.1", "21.4.0", "21.4", "21.3.9", "20.12.1", "9.1.2", "10.0.0", "2.99.99"]) {
  versions(`${version} is deprecated, then not supported`, () => {
    assert.equal(judge(version, "16.8"), { isSupported: true, notice: "" });
    for (const [release, isHosted] of [
      ["16.9", false],
      ["16.11", false],
      ["16.10", true],
    ] as const) {
      const { isSupported, notice } = judge(version, release, isHosted);
      assert.ok(isSupported);
      assert.match(notice, "is deprecated since platform release 16.9");
      assert.match(notice, "from platform release 17.0 on");
      assert.match(notice, "21.5.0 or later");
    }
    for (const [release, isHosted] of [
      ["17.0", false],
      ["18.0", false],
      ["16.11", true],
    ] as const) {
      const { isSupported, notice } = judge(version, release, isHosted);
      assert.not(isSupported);
      assert.match(notice, "is not supported");
      assert.match(notice, "21.5.0 or later");
    }
  });
}

for (const version of ["21.4.2", "21.4.10", "21.4.999"]) {
  versions(`${version} is not deprecated, yet too old from 17.0 on`, () => {
    const before = judge(version, "16.11");
    assert.ok(before.isSupported);
    assert.match(before.notice, "is later than the deprecated versions (21.4.1 and earlier)");
    assert.match(before.notice, "from platform release 17.0 on");
    assert.not(judge(version, "17.0").isSupported);
  });
}

for (const text of ["", "21", "latest", "21.4.1.2", "21.x", "21..1", "-21.4.1", "21.4.1-dev", "99999.1.1", "21,5,0"]) {
  versions(`"${text}" is no version`, () => {
    assert.throws(() => judge(text, "18.0"), /must look like 21\.5\.0/);
  });
}

versions("a version that is not known is supported, and not passed over in silence once the rule is announced", () => {
  assert.equal(judge(undefined, "16.8"), { isSupported: true, notice: "" });
  for (const release of ["16.9", "17.0", "18.0"]) {
    const { isSupported, notice } = judge(undefined, release);
    assert.ok(isSupported);
    assert.match(notice, "is unknown");
    assert.match(notice, "21.5.0 or later");
  }
});

versions.run();
