import { timestamp } from "@faultline/plugin";
import {
  badParameter,
  bodyOf,
  isoTime,
  noContent,
  operation,
  orNull,
  paramsOf,
  required,
  single,
  text,
  time,
  type Parameter,
} from "@faultline/plugin/rest";
import { GetNotificationMaintenanceResponseSchema, NotificationMaintenanceService } from "@faultline/proto";

const tag = "Notification maintenance";
const { method } = NotificationMaintenanceService;
const address = "/projects/:project/error_tracking/notification_maintenance" as const;

const maintenance = bodyOf(
  GetNotificationMaintenanceResponseSchema,
  { maintenance: false },
  {
    name: "NotificationMaintenance",
    description: "A time in which a project sends no notifications. Without such a time, all fields are null.",
    further: {
      starts_at: [orNull(time("When it begins.")), ({ maintenance: of }) => isoTime(of?.startTime)],
      ends_at: [orNull(time("When it ends.")), ({ maintenance: of }) => isoTime(of?.endTime)],
      set_by: [orNull(text("The user name of the person who set it.")), ({ maintenance: of }) => of?.setBy ?? null],
    },
  },
);

/** An ISO 8601 time. */
function timeParam(description: string): Parameter<ReturnType<typeof timestamp> | undefined> {
  return {
    schema: { type: "string", format: "date-time", description }, // no example, because it would soon be in the past
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
});

export const setNotificationMaintenance = operation(method.setNotificationMaintenance, `PUT ${address}`, {
  tag,
  summary: "Set the maintenance window of a project",
  more: "Notifications are not sent from its beginning to its end; what it stops is counted.",
  params: paramsOf(method.setNotificationMaintenance.input, {
    startTime: { as: "starts_at", ...timeParam("When it begins, within 30 days; default: now.") },
    endTime: { as: "ends_at", ...required(timeParam("When it ends, at most seven days later.")) },
  }),
  answer: single(200, "The window.", maintenance),
});

export const endNotificationMaintenance = operation(method.endNotificationMaintenance, `DELETE ${address}`, {
  tag,
  summary: "End the maintenance window of a project",
  answer: noContent,
});
