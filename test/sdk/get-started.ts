import * as assert from "uvu/assert";
import type { Feature } from "./feature.ts";

/** The snippet of the get-started page sends an event. */
export const getStarted: Feature = {
  name: "the get-started page's lines",
  program: "get-started",
  check({ events }) {
    assert.equal(
      events.map(({ title, user }) => [title.replace(/^.*: /, ""), user?.id]),
      [["Test from Faultline", "42"]],
    );
  },
};
