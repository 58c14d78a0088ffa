import { type Exception, ExceptionRole, type GroupingException } from "@faultline/proto";
import { mainException } from "./fault-tree.ts";
import { isAside } from "./roles.ts";

/** The exception of a shown event that names it: the one that was caught. Undefined for messages. */
export function shownException(exceptions: readonly Exception[]): Exception | undefined {
  if (exceptions.length < 2) return exceptions[0];
  const grouping = exceptions.map(({ type, value, mechanism }): GroupingException => ({
    $typeName: "faultline.v1.GroupingException",
    type,
    value,
    synthetic: mechanism?.synthetic ?? false,
    frames: [],
    fault: "",
    ...(mechanism?.exceptionId !== undefined && { exceptionId: mechanism.exceptionId }),
    ...(mechanism?.parentId !== undefined && { parentId: mechanism.parentId }),
    role: isAside(type, mechanism?.type) ? ExceptionRole.ASIDE : ExceptionRole.UNSPECIFIED,
  }));
  const main = mainException(grouping);
  return main && exceptions[grouping.indexOf(main)];
}
