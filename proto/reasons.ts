import { getOption, hasOption } from "@bufbuild/protobuf";
import {
  answer,
  ErrorReason,
  ErrorReasonSchema,
  ReasonAnswer_Code as Code,
  type ReasonAnswer,
} from "./gen/faultline/v1/error_reason_pb.ts";

const httpStatusOfCode: Readonly<Record<Code, number>> = {
  [Code.UNSPECIFIED]: 500,
  [Code.INVALID_ARGUMENT]: 400,
  [Code.NOT_FOUND]: 404,
  [Code.ALREADY_EXISTS]: 409,
  [Code.PERMISSION_DENIED]: 403,
  [Code.RESOURCE_EXHAUSTED]: 429,
  [Code.FAILED_PRECONDITION]: 400,
  [Code.ABORTED]: 409,
  [Code.UNIMPLEMENTED]: 501,
  [Code.INTERNAL]: 500,
  [Code.UNAVAILABLE]: 503,
  [Code.UNAUTHENTICATED]: 401,
};

const answers: ReadonlyMap<number, ReasonAnswer> = new Map(
  ErrorReasonSchema.values.map((reason) => {
    if (!hasOption(reason, answer)) throw new Error(`${reason} has no answer: set its option (faultline.v1.answer).`);
    const declared = getOption(reason, answer);
    const usual = httpStatusOfCode[declared.code] ?? 500;
    const usualOfPage = declared.code === Code.FAILED_PRECONDITION ? 409 : usual;
    const httpStatus = declared.httpStatus || usual;
    const pageStatus = declared.pageStatus || declared.httpStatus || usualOfPage;
    return [reason.number, { ...declared, httpStatus, pageStatus }];
  }),
);

const unforeseen = answers.get(ErrorReason.INTERNAL) as ReasonAnswer; // each reason has an answer

/** The answer that the option of a reason declares, with all statuses; for a number that is not a reason, INTERNAL's. */
export const answerTo = (reason: ErrorReason): Readonly<ReasonAnswer> => answers.get(reason) ?? unforeseen;
