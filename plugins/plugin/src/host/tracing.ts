/**
 * Traces for the operator's collector. A span is a piece of work with its beginning and its end; it is part of another
 * span or begins a trace. It holds numbers and words from a fixed set, never text that a sender, a user or a project
 * chose.
 */
export interface Tracing {
  /** Begins a span within the current span, unless the options say otherwise. */
  begin(name: string, options?: SpanOptions): Span;
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  /** The work was requested from outside, perhaps with the W3C `traceparent` of the caller's span. */
  readonly request?: { readonly traceparent: string | undefined };
  /** Begins a separate trace, because the work serves several spans or none. */
  readonly isOwnTrace?: boolean;
  /** The `traceparent` of other spans that this work serves. */
  readonly links?: readonly string[];
  readonly attributes?: SpanAttributes;
}

export interface Span {
  /** The W3C header for calls to other systems, so that their work becomes part of this span. */
  readonly traceparent: string;
  /** Runs work. Spans begun during the work are part of this span. */
  within<T>(work: () => T): T;
  /** Ends the span. Later additions are lost. `name` replaces the initial name. */
  end(result?: { readonly name?: string; readonly isFailed?: boolean; readonly attributes?: SpanAttributes }): void;
}
