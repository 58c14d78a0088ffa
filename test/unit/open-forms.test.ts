import { suite } from "uvu";
import * as assert from "uvu/assert";
import { OpenForms } from "../../console/src/lib/server/open-forms.ts";

const test = suite("forms of strangers");

const clock = { at: 0, now: () => clock.at };
const stranger = (clientAddress: string) => ({ clientAddress, hasDeviceToken: false });

/** How many of so many forms are read. */
const read = (forms: OpenForms, count: number, sender: (n: number) => ReturnType<typeof stranger>) =>
  Array.from({ length: count }, (_, n) => forms.begin(sender(n))).filter((waitSeconds) => waitSeconds === 0).length;

test("a network sends 60 forms a minute, whatever it sends beyond them", () => {
  const forms = new OpenForms(clock);
  assert.is(
    read(forms, 1_000, () => stranger("192.0.2.1")),
    60,
  );
  assert.is(forms.begin(stranger("192.0.2.1")), 60);
  assert.is(forms.begin(stranger("192.0.2.2")), 0);
  clock.at += 59_999;
  assert.is(forms.begin(stranger("192.0.2.1")), 1);
  clock.at += 1;
  assert.is(forms.begin(stranger("192.0.2.1")), 0);
});

test("the networks of one /48 send 300 forms a minute, and those of another are not refused", () => {
  const forms = new OpenForms(clock);
  assert.is(
    read(forms, 5_000, (n) => stranger(`2001:db8:1:${n.toString(16)}::1`)),
    300,
  );
  assert.is(forms.begin(stranger("2001:db8:2::1")), 0);
  assert.is(forms.begin({ ...stranger("2001:db8:1:1::1"), hasDeviceToken: true }), 0, "it signed in before");
});

test("forms that began a session do not count", () => {
  const forms = new OpenForms(clock);
  for (let n = 0; n < 1_000; n++) {
    assert.is(forms.begin(stranger("192.0.2.1")), 0);
    forms.forgive(stranger("192.0.2.1"));
  }
});

test.run();
