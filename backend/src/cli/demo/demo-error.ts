import type { DemoSdkName } from "./demo-sdks.ts";

/** When the events of an error happened. */
export type Course =
  /** Over two weeks, with days and nights. */
  | "steady"
  /** Since the newest release. */
  | "since release"
  /** Within three hours, five days ago. */
  | "burst"
  /** Until the release before the newest, which mended it. */
  | "mended";

/** An error of the demo. */
export interface DemoError {
  readonly sdk: DemoSdkName;
  readonly type: string;
  /** `#` stands for a number that differs from event to event. */
  readonly value: string;
  readonly level: "fatal" | "error" | "warning";
  readonly transaction: string;
  readonly course: Course;
  /** Its part of all events. */
  readonly weight: number;
  readonly users: number;
  readonly file: string;
  readonly className: string;
  readonly function: string;
  readonly line: number;
  /** The erroring line is the third of five. */
  readonly source: readonly [string, string, string, string, string];
}
