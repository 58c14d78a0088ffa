/** Tables of the decisions behind triggers: spikes, milestones, limits, failures, and what each project may report. */
import { Backend, ErrorStatus, NotificationSuppressionReason as Reason, NotificationTrigger } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { gate } from "../../../plugins/notifier/src/signals/gate.ts";
import { countedSince, stepSpike, type Episode } from "../../../plugins/notifier/src/signals/spike.ts";
import { isAboutProject, ownKinds, unavailableBecause } from "../../../plugins/notifier/src/kinds.ts";
import {
  stepQuota,
  type QuotaState,
  stepFailures,
  type Failures,
} from "../../../plugins/notifier/src/signals/polling/poll.ts";
import {
  powerReached,
  stepMilestone,
  type Progress,
} from "../../../plugins/notifier/src/signals/polling/milestones.ts";
import { usualOf } from "../../../plugins/notifier/src/rules/rule-service.ts";
import { spikesIn } from "../../../plugins/notifier/src/rules/preview-rule.ts";

const allTriggers = ownKinds.map(({ trigger }) => trigger);
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const limit = { unit: "events", count: 100, minutes: 10 } as const;

/** The report of each check, by [minute, counted, in maintenance]. */
function spikes(looks: readonly (readonly [minute: number, counted: number, isMaintenance?: true])[]): string[] {
  let episode: Episode | undefined;
  return looks.map(([minute, counted, isMaintenance = false]) => {
    const step = stepSpike(episode, { counted, limit, now: minute * minuteMs, isMaintenance });
    episode = step.episode;
    return step.report ?? "";
  });
}

test("a spike is reported at its limit and at its end, which is a whole window below half of it", () => {
  const looks: [number, number][] = [
    [0, 99],
    [1, 100],
    [2, 500],
    [3, 49],
    [12, 49],
    [13, 0],
    [14, 0],
  ];
  assert.equal(spikes(looks), ["", "opened", "", "", "", "over", ""]);
});

test("a count that rises to half again begins the wait for the end again", () => {
  const looks: [number, number][] = [
    [0, 100],
    [1, 49],
    [9, 50],
    [10, 49],
    [19, 49],
    [20, 49],
  ];
  assert.equal(spikes(looks), ["opened", "", "", "", "", "over"]);
});

test("a spike of a maintenance window is reported after it, if it lasts, and otherwise has no end either", () => {
  const lasting: [number, number, true?][] = [
    [0, 100, true],
    [1, 100, true],
    [2, 100],
    [3, 0],
    [13, 0],
  ];
  assert.equal(spikes(lasting), ["opened", "", "opened", "", "over"]); // the gate counts the first
  const short: [number, number, true?][] = [
    [0, 100, true],
    [1, 0, true],
    [12, 0],
  ];
  assert.equal(spikes(short), ["opened", "", ""]);
});

test("a clock that goes back neither ends nor repeats a spike, and one that goes a day ahead ends it once", () => {
  const back: [number, number][] = [
    [100, 100],
    [101, 0],
    [41, 0],
    [50, 0],
    [51, 0],
  ];
  assert.equal(spikes(back), ["opened", "", "", "", "over"]);
  const ahead: [number, number][] = [
    [0, 100],
    [1, 0],
    [1441, 0],
    [1442, 0],
  ];
  assert.equal(spikes(ahead), ["opened", "", "over", ""]);
});

test("events of a window are counted from the last sample before it, and from the first one where there is none", () => {
  const samples = [
    { at: 0, count: 10 },
    { at: 5, count: 14 },
    { at: 9, count: 20 },
  ];
  assert.is(countedSince(samples, { count: 25, since: 5 }), 11);
  assert.is(countedSince(samples, { count: 25, since: 8 }), 11);
  assert.is(countedSince(samples, { count: 25, since: -5 }), 15);
  assert.is(countedSince(samples, { count: 3, since: 5 }), 0); // events became too old
  assert.is(countedSince([], { count: 3, since: 5 }), 0);
});

test("the hours of an error give the spikes that its minutes gave", () => {
  const hours = { unit: "events", count: 100, minutes: 180 } as const;
  const counts = [0, 60, 30, 20, 0, 0, 0, 0, 0, 0, 200, 0];
  const at = { first: 0, limit: hours, now: counts.length * hourMs, isOpenAt: () => true };
  const found = spikesIn(counts, at).map((spike) => [Math.floor(spike.at / hourMs), spike.detail.isOver ?? false]);
  assert.equal(found, [
    [3, false], // 60 + 30 + 20
    [8, true], // below 50 from hour 5 on
    [10, false],
  ]);
  assert.equal(spikesIn(counts, { ...at, isOpenAt: () => false }), []);
});

test("the powers of ten are reported once each, the largest of several, and again after a reopening", () => {
  assert.equal([0, 9, 10, 99, 100, 12_345, 1_000_000].map(powerReached), [0, 0, 10, 10, 100, 10_000, 1_000_000]);
  let progress: Progress | undefined;
  const look = (count: number, reopenedAt = 0, sinceReopened = 0, earlier = 0) => {
    const step = stepMilestone(progress, { count, reopenedAt, sinceReopened, earlier });
    progress = step.progress;
    return step.report ?? 0;
  };
  assert.equal([look(9), look(10), look(11), look(5_000), look(5_001)], [0, 10, 0, 1_000, 0]);
  assert.equal([look(5_002, 7, 1), look(5_010, 7), look(5_011, 7), look(5_012, 7)], [0, 0, 10, 0]);
  progress = undefined; // an error that was there before the rule
  assert.equal([look(5_000, 0, 0, 5_000), look(9_999), look(10_000)], [0, 0, 10_000]);
});

test("a limit is reported near and reached once a day, and the bytes kept once until they are well below", () => {
  const looks = (of: [percent: number, day: number][]) => {
    let state: QuotaState | undefined;
    return of.map(([bytes, day]) => {
      const step = stepQuota(state, { bytes, limitBytes: 100, day });
      state = step.state;
      return step.report ?? 0;
    });
  };
  const day: [number, number][] = [
    [79, 1],
    [80, 1],
    [99, 1],
    [100, 1],
    [130, 1],
    [10, 2],
    [100, 2],
    [100, 1], // a clock that went back
    [100, 2],
  ];
  assert.equal(looks(day), [0, 80, 0, 100, 0, 0, 100, 0, 0]);
  const kept: [number, number][] = [
    [85, 0],
    [79, 0],
    [81, 0],
    [69, 0],
    [80, 0],
  ];
  assert.equal(looks(kept), [80, 0, 0, 0, 80]);
  assert.equal(stepQuota(undefined, { bytes: 5, limitBytes: 0, day: 1 }).report, undefined);
});

test("an external system fails after three failures and five minutes, once, and recovers once", () => {
  const looks = (of: [minute: number, isFailure: boolean][]) => {
    let failures: Failures | undefined;
    return of.map(([minute, isFailure]) => {
      const step = stepFailures(failures, { isFailure, now: minute * minuteMs });
      failures = step.failures;
      return step.report ?? "";
    });
  };
  const long: [number, boolean][] = [
    [0, true],
    [1, true],
    [2, true],
    [5, true],
    [6, true],
    [7, false],
    [8, false],
  ];
  assert.equal(looks(long), ["", "", "", "failing", "", "recovered", ""]);
  const few: [number, boolean][] = [
    [0, true],
    [9, true],
    [10, false],
    [11, true],
  ];
  assert.equal(looks(few), ["", "", "", ""]);
});

test("an ignored error passes the gate with no trigger, and a maintenance window stops every one", () => {
  for (const trigger of allTriggers.filter((one) => !isAboutProject(one))) {
    const signal = { notification_trigger: trigger, status: ErrorStatus.RESOLVED, detail: "" };
    const reason = gate(signal, { status: ErrorStatus.IGNORED }, { isMatch: true, isMaintenance: false });
    assert.is(reason, trigger === NotificationTrigger.STATUS ? Reason.OVER : Reason.IGNORED);
  }
  for (const trigger of allTriggers) {
    const signal = { notification_trigger: trigger, status: ErrorStatus.UNRESOLVED, detail: "" };
    const at = { isMatch: true, isMaintenance: true };
    assert.is(gate(signal, { status: ErrorStatus.UNRESOLVED }, at), Reason.MAINTENANCE);
    assert.is(
      gate(signal, undefined, { ...at, isMaintenance: false }),
      isAboutProject(trigger) ? undefined : Reason.OVER,
    );
  }
});

test("a sentence says what a project cannot have", () => {
  const missing = (backend: Backend) => allTriggers.filter((trigger) => unavailableBecause(trigger, backend) !== "");
  const { BACKEND_FAILING, REOPENED, RELEASE, REFUSED, QUOTA_NEAR, QUOTA_REACHED } = NotificationTrigger;
  assert.equal(missing(Backend.INTEGRATED), [BACKEND_FAILING]);
  assert.equal(missing(Backend.EXTERNAL), [REOPENED, RELEASE, REFUSED, QUOTA_NEAR, QUOTA_REACHED]);
  assert.equal(missing(Backend.UNSPECIFIED), []);
});

test("the usual numbers are medians of 24 hours, and the busiest error has its title", () => {
  const quiet = { title: "quiet", hourlyCounts: Array<number>(24).fill(1) };
  const bursting = { title: "bursting", hourlyCounts: [...Array<number>(23).fill(0), 90] };
  assert.equal(usualOf([quiet, bursting]), {
    projectMedian: 1,
    projectMost: 91,
    errorMedian: 1,
    errorMost: 90,
    busiestTitle: "bursting",
  });
  assert.is(usualOf([]).projectMost, 0);
});

test.run();
