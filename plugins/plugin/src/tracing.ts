/**
 * Traces, for whoever collects them: a span is a piece of work with its beginning and its end, and lies within another or
 * begins a trace. What it tells are words of a fixed set and numbers, never what a sender, a user or a project chose.
 */
export interface Tracing {
  /** Begins a span, within the one that runs now unless the options say otherwise. */
  begin(name: string, options?: SpanOptions): Span;
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  /** Somebody asked for this work from outside, and perhaps told the W3C `traceparent` of what it is part of. */
  readonly request?: { readonly traceparent: string | undefined };
  /** Begins a trace of its own, as the work is for several others, or for none. */
  readonly isOwnTrace?: boolean;
  /** The `traceparent` of others that this work is for. */
  readonly links?: readonly string[];
  readonly attributes?: SpanAttributes;
}

export interface Span {
  /** What tells others, as a header of the W3C, that their work is part of this. */
  readonly traceparent: string;
  /** Runs work; what begins meanwhile is part of this span. */
  within<T>(work: () => T): T;
  /** Ends it; what is told afterwards is lost. `name`: in place of that which it began with. */
  end(result?: { readonly name?: string; readonly isFailed?: boolean; readonly attributes?: SpanAttributes }): void;
}
