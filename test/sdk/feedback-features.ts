import * as assert from "uvu/assert";
import type { Feature, Outcome } from "./feature.ts";
import { assertAccepted } from "./report-features.ts";

/** In what SDKs differ. */
interface Expected {
  /** Whether the form says where it was written: an older one has no release and environment. */
  readonly saysWhere: boolean;
  /** The text of a third entry, which the dialog for reports sends about the same event. Undefined: the SDK has no dialog. */
  readonly byDialog?: string;
}

/** The stored result of the program `feedback`: one entry about no event that is stored, and one about an error. */
export function feedbackFeatures({ saysWhere, byDialog }: Expected): readonly Feature[] {
  const check = async (outcome: Outcome) => {
    assertAccepted(outcome);
    const [event, ...others] = outcome.events;
    assert.equal([event?.exceptions[0]?.value, others.length], ["the till fell down", 0]);
    const entries = (await outcome.feedback()).toSorted((a, b) => a.comments.localeCompare(b.comments));
    const dialog = byDialog === undefined ? [] : [["Cy", "cy@shop.example", byDialog, true]];
    assert.equal(
      entries.map(({ name, email, comments, errorId }) => [name, email, comments, errorId === event?.errorId]),
      [
        ["Bo", "bo@shop.example", "It fell.", true],
        ...dialog,
        ["Ann", "ann@shop.example", "The till is empty.", false],
      ],
    );
    for (const { release, environment, source } of entries) {
      const where = saysWhere && source !== "report dialog" ? ["shop@1.2.3", "staging"] : ["", ""];
      assert.equal([release, environment], where);
    }
  };
  return [{ name: "user feedback, with and without an error", program: "feedback", check }];
}
