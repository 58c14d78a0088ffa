import * as assert from "uvu/assert";
import type { Feature } from "./feature.ts";

/** The snippet of the get-started page sends an event. */
export const getStarted: Feature = {
  name: "the lines of the Get started page",
  program: "get-started",
  check({ events }) {
    assert.equal(
      events.map(({ title, user }) => [title.replace(/^.*: /, ""), user?.id]),
      [["Test from Faultline", "42"]],
    );
  },
};
