import type { ProjectPlace } from "@faultline/plugin/text";
import { testHeadline } from "../kinds.ts";
import type { Message } from "./message.ts";

/** The message of the test button. */
export const testMessage = (project: ProjectPlace, { by, at }: { by: string; at: number }): Message => ({
  kind: "test",
  headline: testHeadline,
  project: project.path,
  errorId: "",
  title: `${by} sent this test from Faultline.`,
  place: "",
  level: "info",
  facts: [],
  lines: [],
  url: project.url,
  rule: "",
  note: "",
  at,
  thread: `test.${at}`,
});
