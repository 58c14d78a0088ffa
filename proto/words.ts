import { getOption, hasOption, type DescEnum, type EnumShape } from "@bufbuild/protobuf";
import {
  answer,
  ErrorReason,
  ErrorReasonSchema,
  ReasonAnswer_Code as Code,
  type ReasonAnswer,
} from "./gen/faultline/v1/error_reason_pb.ts";
import { word } from "./gen/faultline/v1/role_pb.ts";

/**
 * The values of an enum by the words that REST, searches and the command line have for them, in the order of the proto file. The
 * word of a value is its name in lower case, or its option `word`; UNSPECIFIED has one only by the option, or as `unspecified`,
 * where a filter means all values by it.
 */
export function words<D extends DescEnum>(desc: D, unspecified?: string): Readonly<Record<string, EnumShape<D>>> {
  const all = [...wordsByNumber(desc)].map(([number, name]) => [name, number] as const);
  return Object.fromEntries(unspecified === undefined ? all : [...all, [unspecified, 0] as const]) as Record<
    string,
    EnumShape<D>
  >; // the numbers are the enum's
}

/** The word of a value; undefined for UNSPECIFIED without the option, and for a number that is not a value. */
export const wordOf = (desc: DescEnum, value: number): string | undefined => wordsByNumber(desc).get(value);

const known = new Map<DescEnum, ReadonlyMap<number, string>>();

function wordsByNumber(desc: DescEnum): ReadonlyMap<number, string> {
  const before = known.get(desc);
  if (before) return before;
  const named = desc.values.filter((value) => value.number !== 0 || hasOption(value, word));
  const found = new Map(
    named.map((value) => [value.number, getOption(value, word) || value.localName.toLowerCase()] as const),
  );
  known.set(desc, found);
  return found;
}

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
