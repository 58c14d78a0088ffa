import { fromJson, toJson, type DescMessage, type MessageJsonType, type MessageShape } from "@bufbuild/protobuf";
import type { CallContext } from "@faultline/proto/grpc";
import { initTRPC, TRPCError } from "@trpc/server";
import { refusal, type Refusal } from "#lib/failures/refusal.server.ts";
import type { JsonOf } from "#lib/messages.ts";
import { refusalOf } from "#lib/server/core.ts";

/** The caller of a procedure. */
export interface CallerContext {
  readonly token: string | undefined;
  /** Aborted when the request ends. */
  readonly signal: AbortSignal | undefined;
  /** The trace context of the request, if it is traced. */
  readonly traceparent?: string | undefined;
}

const t = initTRPC.context<CallerContext>().create({
  sse: { ping: { enabled: true, intervalMs: 15_000 }, client: { reconnectAfterInactivityMs: 40_000 } },
  errorFormatter: ({ shape, error }) => {
    const { stack: _, ...data } = shape.data;
    const answer = refusalOfTrpc(error);
    return { ...shape, message: answer.message, data: { ...data, refusal: answer } };
  },
});

export const { router, createCallerFactory } = t;

const codeOfStatus: Record<number, TRPCError["code"]> = {
  400: "BAD_REQUEST",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  409: "CONFLICT",
  422: "UNPROCESSABLE_CONTENT",
  429: "TOO_MANY_REQUESTS",
  501: "NOT_IMPLEMENTED",
  503: "SERVICE_UNAVAILABLE",
};

class RefusedError extends Error {
  readonly refusal: Refusal;
  constructor(given: Refusal) {
    super(given.message);
    this.name = "RefusedError";
    this.refusal = given;
  }
}

const refused = (given: Refusal, cause?: unknown) =>
  new TRPCError({
    code: codeOfStatus[given.status] ?? "INTERNAL_SERVER_ERROR",
    message: given.message,
    cause: given.reason === "UNKNOWN" && cause instanceof Error ? cause : new RefusedError(given),
  });

/** The refusal of a failed procedure or core call for the person. */
export function refusalOfTrpc(error: unknown): Refusal {
  if (!(error instanceof TRPCError)) return refusalOf(error);
  if (error.cause instanceof RefusedError) return error.cause.refusal;
  if (error.code === "BAD_REQUEST") return refusal("INVALID_FIELD", "The request is not of the expected form.");
  return refusalOf(error.cause);
}

/** Converts the core's refusals to refusals of the procedure. */
const coreProcedure = t.procedure.use(async ({ next }) => {
  const result = await next();
  if (result.ok || result.error.cause instanceof RefusedError || result.error.code === "BAD_REQUEST") return result;
  throw refused(refusalOf(result.error.cause), result.error.cause);
});

/** A procedure for signed-in people. */
export const signedInProcedure = coreProcedure.use(({ ctx: { token, signal, traceparent }, next }) => {
  if (token === undefined) throw refused(refusal("TOKEN_REQUIRED"));
  return next({ ctx: { call: { token, signal, traceparent } as CallContext } });
});

/** A procedure for anybody: a password or a link is the proof. It runs to its end, even if the visitor leaves. */
export const openProcedure = coreProcedure.use(({ ctx: { traceparent }, next }) =>
  next({ ctx: { call: { traceparent } as CallContext } }),
);

/** An input parser that converts JSON to the message. */
export function message<S extends DescMessage>(schema: S) {
  return {
    "~standard": {
      version: 1 as const,
      vendor: "faultline",
      types: undefined as { input: MessageJsonType<S>; output: MessageShape<S> } | undefined,
      validate(value: unknown): { value: MessageShape<S> } | { issues: { message: string }[] } {
        try {
          return { value: fromJson(schema, value as MessageJsonType<S>) };
        } catch (error) {
          return { issues: [{ message: error instanceof Error ? error.message : "Not the expected message." }] };
        }
      },
    },
  };
}

/** The message's JSON with every field without presence, see JsonOf. */
export function json<S extends DescMessage>(schema: S, value: MessageShape<S>): JsonOf<S> {
  return toJson(schema, value, { alwaysEmitImplicit: true }) as JsonOf<S>;
}
