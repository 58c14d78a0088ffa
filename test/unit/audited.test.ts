import { create } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { services } from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { audited, notAudited } from "../../backend/src/audit/audited.ts";

const audit = suite("audited");

const methods = Object.values(services).flatMap((service) => service.methods.map((method) => ({ service, method })));
const changing = methods.filter(({ method }) => method.idempotency !== MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS);
const nameOf = ({ service, method }: (typeof methods)[number]) => `${service.name}.${method.name}`;

audit("every method that changes something is told or says why not, and no other is", () => {
  const listed = [...Object.keys(audited), ...Object.keys(notAudited)];
  assert.equal(listed.toSorted(), changing.map(nameOf).toSorted());
});

for (const one of changing.filter((each) => Object.hasOwn(audited, nameOf(each)))) {
  audit(`${nameOf(one)} is told in one sentence, also of an empty request`, () => {
    const told = audited[nameOf(one)]?.(create(one.method.input), create(one.method.output)) ?? "";
    assert.match(told, /^[A-Z].*\.$/);
    assert.not.match(told, "[object");
  });
}

audit.run();
