import { namingException, publicName, titleOf } from "@faultline/sentry-event";
import type { ErrorEvent } from "@faultline/proto";

/** The parts of an event that a list shows. */
export interface Summary {
  readonly title: string;
  readonly type: string;
  readonly value: string;
}

/** Title, type and value of an event. */
export function summaryOf(event: ErrorEvent): Summary {
  const main = namingException(event);
  return {
    title: titleOf(event),
    type: main?.type ?? "",
    value: publicName(main?.value || event.message)
      .slice(0, 1024)
      .toWellFormed(),
  };
}
