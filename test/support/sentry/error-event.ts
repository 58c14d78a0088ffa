import {
  ExceptionRole,
  FrameOwner,
  PayloadEncoding,
  type ErrorEvent,
  type GroupingException,
  type GroupingFrame,
} from "@faultline/proto";

/** A frame of the application. Fields that a test does not name have the plainest values. */
export function frame(fields: Partial<GroupingFrame> = {}): GroupingFrame {
  return {
    $typeName: "faultline.v1.GroupingFrame",
    module: "",
    filename: "app.js",
    function: "run",
    inApp: true,
    contextLine: "",
    owner: FrameOwner.UNSPECIFIED,
    platform: "",
    ...fields,
  };
}

/** An exception without a stack. */
export function exception(fields: Partial<GroupingException> = {}): GroupingException {
  return {
    $typeName: "faultline.v1.GroupingException",
    type: "Error",
    value: "",
    synthetic: false,
    frames: [],
    role: ExceptionRole.UNSPECIFIED,
    fault: "",
    ...fields,
  };
}

/** An event with only its level and platform. */
export function errorEvent(fields: Partial<ErrorEvent> = {}): ErrorEvent {
  return {
    $typeName: "faultline.v1.ErrorEvent",
    projectId: 1,
    eventId: "0".repeat(32),
    level: "error",
    platform: "node",
    exceptions: [],
    frames: [],
    message: "",
    messageTemplate: "",
    fingerprint: [],
    title: "",
    culprit: "",
    user: "",
    release: "",
    environment: "",
    tags: {},
    groupingTags: {},
    payload: new Uint8Array(),
    logger: "",
    payloadEncoding: PayloadEncoding.UNSPECIFIED,
    payloadOffset: 0,
    payloadLength: 0,
    keyId: 0,
    ...fields,
  };
}
