import { timestamp } from "@faultline/plugin";
import {
  badParameter,
  isoTime,
  noContent,
  operation,
  orNull,
  required,
  shape,
  single,
  text,
  time,
  type Parameter,
} from "@faultline/plugin/rest";
import { NotificationMaintenanceService, type NotificationMaintenance } from "@faultline/proto";

const tag = "Notification maintenance";
const { method } = NotificationMaintenanceService;
const address = "/projects/:project/error_tracking/notification_maintenance" as const;

const maintenance = shape<Partial<NotificationMaintenance>>(
  "NotificationMaintenance",
  "A time in which a project sends no notifications; all fields are null where there is none.",
  {
    starts_at: [orNull(time("When it begins.")), ({ startTime }) => isoTime(startTime)],
    ends_at: [orNull(time("When it ends.")), ({ endTime }) => isoTime(endTime)],
    set_by: [orNull(text("The user name of the person who set it.")), ({ setBy }) => setBy ?? null],
  },
);

/** A time of ISO 8601. */
function timeParam(description: string): Parameter<ReturnType<typeof timestamp> | undefined> {
  return {
    schema: { type: "string", format: "date-time", description }, // no example, which would soon be in the past
    read(value, name) {
      if (value === undefined || value === null) return undefined;
      const at = typeof value === "string" ? Date.parse(value) : Number.NaN;
      if (Number.isNaN(at)) throw badParameter(name, "is invalid");
      return timestamp(at);
    },
  };
}

export const getNotificationMaintenance = operation(method.getNotificationMaintenance, `GET ${address}`, {
  tag,
  summary: "Get the maintenance window of a project",
  answer: single(200, "The window that is running or will come.", maintenance),
  run: async ({ invoke }) => (await invoke({})).maintenance ?? {},
});

export const setNotificationMaintenance = operation(method.setNotificationMaintenance, `PUT ${address}`, {
  tag,
  summary: "Set the maintenance window of a project",
  more: "Notifications are not sent from its beginning to its end; what it stops is counted.",
  params: {
    starts_at: timeParam("When it begins, within 30 days; default: now."),
    ends_at: required(timeParam("When it ends, at most seven days later.")),
  },
  answer: single(200, "The window.", maintenance),
  run: async ({ params: { starts_at: startTime, ends_at: endTime }, invoke }) =>
    (await invoke({ endTime, ...(startTime && { startTime }) })).maintenance ?? {},
});

export const endNotificationMaintenance = operation(method.endNotificationMaintenance, `DELETE ${address}`, {
  tag,
  summary: "End the maintenance window of a project",
  answer: noContent,
  run: ({ invoke }) => invoke({}),
});
