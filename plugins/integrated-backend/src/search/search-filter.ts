import type { Term } from "@faultline/plugin/search";
import type { RawBuilder, SqlBool } from "kysely";

/** A term with its condition on a row of integrated_error. */
export interface SearchFilter {
  readonly term: Term;
  readonly condition: RawBuilder<SqlBool>;
  /** The errors that its condition asks for, or excludes if the term is negated. Absent: no index has them. */
  readonly listed?: Listed;
}

/** Queries for errors, by an index. */
export interface Listed {
  /** Their ids as `error_id`, some twice. */
  readonly ids: RawBuilder<unknown>;
  /** Their ids and statuses, as in Found. */
  readonly statuses?: RawBuilder<unknown>;
  /** Whether they are just the errors with what the term names; otherwise its condition leaves some of them. */
  readonly isExact: boolean;
}
