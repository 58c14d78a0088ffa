/**
 * Traces for the operator's collector. A span is a piece of work with its beginning and its end; it lies within another
 * span or begins a trace. It holds words of a fixed set and numbers, never text that a sender, a user or a project chose.
 */
export interface Tracing {
  /** Begins a span, within the one that runs now unless the options say otherwise. */
  begin(name: string, options?: SpanOptions): Span;
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  /** The work was requested from outside, perhaps with the W3C `traceparent` of the work it is part of. */
  readonly request?: { readonly traceparent: string | undefined };
  /** Begins a trace of its own, as the work is for several others, or for none. */
  readonly isOwnTrace?: boolean;
  /** The `traceparent` of others that this work is for. */
  readonly links?: readonly string[];
  readonly attributes?: SpanAttributes;
}

export interface Span {
  /** The W3C header for calls to others, so that their work becomes part of this span. */
  readonly traceparent: string;
  /** Runs work; spans begun meanwhile are part of this one. */
  within<T>(work: () => T): T;
  /** Ends the span; later additions are lost. `name` replaces the one it began with. */
  end(result?: { readonly name?: string; readonly isFailed?: boolean; readonly attributes?: SpanAttributes }): void;
}
