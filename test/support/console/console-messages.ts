import type { Exception, Frame, HttpRequest } from "../../../console/src/lib/messages.ts";

/** Messages as the console receives them: all fields, empty unless given. */

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

/** How an exception was caught, as far as the order of a chain needs it. */
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
