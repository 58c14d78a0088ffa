import type { Exception, Frame, HttpRequest } from "../../../console/src/lib/messages.ts";

/** Messages in the console's form, with all fields. Fields that are not given are empty. */

export const frame = (given: Partial<Frame> = {}): Frame => ({
  filename: "",
  absPath: "",
  function: "",
  module: "",
  package: "",
  lineno: 0,
  colno: 0,
  inApp: false,
  preContext: [],
  contextLine: "",
  postContext: [],
  codeUrl: "",
  ...given,
});

export const exception = (given: Partial<Exception> = {}): Exception => ({
  type: "",
  value: "",
  module: "",
  frames: [],
  ...given,
});

/** The fields of an exception's mechanism that decide the order of a chain. */
export const mechanism = (given: Partial<NonNullable<Exception["mechanism"]>> = {}) => ({
  type: "generic",
  synthetic: false,
  source: "",
  ...given,
});

export const httpRequest = (given: Partial<HttpRequest> = {}): HttpRequest => ({
  url: "https://shop.example/checkout",
  method: "GET",
  queryString: "",
  headers: {},
  cookies: {},
  data: "",
  ...given,
});
