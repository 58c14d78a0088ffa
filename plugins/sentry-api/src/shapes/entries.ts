import type { Breadcrumb, Event, Exception, Frame, HttpRequest, Mechanism, Thread } from "@faultline/proto";
import { isoTime } from "../times.ts";

/** The parts of an event in display order. Missing parts are left out. */
export function entriesOf(event: Event): object[] {
  const { exceptions, threads, breadcrumbs, request } = event;
  return [
    ...(event.message === "" ? [] : [messageEntry(event)]),
    ...(exceptions.length === 0 ? [] : [{ type: "exception", data: exceptionData(exceptions) }]),
    ...(threads.length === 0 ? [] : [{ type: "threads", data: { values: threads.map(threadShape) } }]),
    ...(breadcrumbs.length === 0 ? [] : [{ type: "breadcrumbs", data: { values: breadcrumbs.map(breadcrumbShape) } }]),
    ...(request ? [{ type: "request", data: requestShape(request) }] : []),
  ];
}

function messageEntry({ message, messageTemplate }: Event): object {
  return { type: "message", data: { formatted: message, message: messageTemplate || null, params: null } };
}

function exceptionData(exceptions: readonly Exception[]): object {
  return {
    values: exceptions.map(exceptionShape),
    hasSystemFrames: hasSystemFrames(exceptions.flatMap(({ frames }) => frames)),
    excOmitted: null,
  };
}

function exceptionShape({ type, value, module, mechanism, frames, obfuscated }: Exception): object {
  return {
    type,
    value,
    module: module || null,
    mechanism: mechanism ? mechanismShape(mechanism) : null,
    threadId: null,
    stacktrace: stacktraceShape(frames),
    rawStacktrace: stacktraceShape(sentFrames(frames) ?? []),
    rawType: obfuscated?.type || null,
    rawModule: obfuscated?.module || null,
    rawValue: null,
  };
}

function mechanismShape({ type, handled, synthetic, exceptionId, parentId, source }: Mechanism): object {
  return {
    type,
    handled: handled ?? null,
    synthetic: synthetic || null,
    exception_id: exceptionId ?? null,
    parent_id: parentId ?? null,
    source: source || null,
  };
}

function threadShape({ id, name, current, crashed, frames }: Thread): object {
  return {
    id,
    name: name || null,
    current,
    crashed,
    stacktrace: stacktraceShape(frames),
    rawStacktrace: stacktraceShape(sentFrames(frames) ?? []),
  };
}

function stacktraceShape(frames: readonly Frame[]): object | null {
  if (frames.length === 0) return null;
  return {
    frames: frames.map(frameShape),
    framesOmitted: null,
    registers: null,
    hasSystemFrames: hasSystemFrames(frames),
  };
}

function hasSystemFrames(frames: readonly Frame[]): boolean {
  return frames.some(({ inApp }) => inApp) && frames.some(({ inApp }) => !inApp);
}

function frameShape(frame: Frame): object {
  return {
    filename: frame.filename || null,
    absPath: frame.absPath || null,
    function: frame.function || null,
    module: frame.module || null,
    package: frame.package || null,
    lineNo: frame.lineno || null,
    colNo: frame.colno || null,
    inApp: frame.inApp,
    context: contextOf(frame),
    vars: frame.vars ?? null,
    platform: null,
    instructionAddr: null,
    symbolAddr: null,
    symbol: null,
    trust: null,
    errors: null,
  };
}

/**
 * Source lines with their numbers. If the line number of the call is unknown, the lines are left out, like in the
 * original.
 */
function contextOf({ lineno, preContext, contextLine, postContext }: Frame): [number, string][] {
  if (lineno === 0 || (contextLine === "" && preContext.length + postContext.length === 0)) return [];
  const first = lineno - preContext.length;
  return [...preContext, contextLine, ...postContext].map((line, index) => [first + index, line]);
}

function breadcrumbShape({ time, type, category, level, message, data }: Breadcrumb): object {
  return {
    timestamp: isoTime(time),
    type,
    category: category || null,
    level,
    message: message || null,
    data: data ?? null,
    event_id: null,
  };
}

function requestShape(request: HttpRequest): object {
  return {
    url: request.url,
    method: request.method || null,
    query: request.queryString, // as text, which keeps the encoding of the characters
    fragment: null,
    headers: Object.entries(request.headers),
    cookies: Object.entries(request.cookies),
    data: request.data || null,
    env: request.env ?? null,
    inferredContentType: request.headers["Content-Type"] ?? null,
  };
}

/** The frames of a stack in their sent form if some of them are mapped; undefined if none is. */
function sentFrames(frames: readonly Frame[]): Frame[] | undefined {
  if (!frames.some(({ sourceMapping }) => sourceMapping?.minified)) return undefined;
  return frames.flatMap((frame) => {
    const { minified, inlined } = frame.sourceMapping ?? {};
    if (inlined) return [];
    if (!minified) return [frame];
    const { filename, absPath, function: name, lineno, colno, contextLine, module } = minified;
    const sent = { filename, absPath, function: name, lineno, colno, contextLine, module };
    return [{ ...frame, ...sent, preContext: [], postContext: [] }];
  });
}
