import { AsyncLocalStorage } from 'node:async_hooks';
import {
  context,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type ContextManager,
  type Span,
  type SpanContext,
  type SpanKind,
  type Tracer,
} from '@opentelemetry/api';

export { SpanKind, type Attributes } from '@opentelemetry/api';

/**
 * This module keeps the current trace (W3C Trace Context) across every `await` in a request. Without an exporter
 * (tracing.ts), no spans or ids are created, and an incoming `traceparent` is passed on unchanged. `tracestate` is not
 * passed on, because it would reveal the caller's tracing systems to receivers and tools that belong to others.
 */

/** The tracer, or undefined if no exporter is configured. */
let tracer: Tracer | undefined;

/** Sets the tracer. Only tracing.ts calls it. */
export function useTracer(given: Tracer | undefined): void {
  tracer = given;
}

export const isTracing = (): boolean => tracer !== undefined;

/**
 * Pattern for a `traceparent`. For versions later than 00, it matches the part that version 00 defines and ignores the
 * rest.
 */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const NOTHING = /^0+$/;
/** Mask for the flag bits that we know: sampled, and random trace id (Trace Context level 2). */
const KNOWN_FLAGS = 3;

/** Returns the context of a `traceparent`, or a context without a trace if the `traceparent` is missing or invalid. */
export function contextOf(traceparent: unknown): Context {
  const parent = typeof traceparent === 'string' ? parse(traceparent) : undefined;
  return parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
}

function parse(traceparent: string): SpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', rest] =
    TRACEPARENT.exec(traceparent) ?? [];
  if (version === undefined || NOTHING.test(traceId) || NOTHING.test(spanId)) return undefined;
  if (version === '00' && rest !== undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & KNOWN_FLAGS, isRemote: true };
}

/**
 * Returns the `traceparent` of the active trace, or undefined if there is no trace. Callers send the value with a
 * request, or store it for later work.
 */
export function activeTraceparent(): string | undefined {
  const active = trace.getSpanContext(context.active());
  return active && format(active);
}

/** Returns the active trace as a header for an outgoing request. */
export function traceHeaders(): { traceparent?: string } {
  const traceparent = activeTraceparent();
  return traceparent === undefined ? {} : { traceparent };
}

function format({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/**
 * Runs a function outside of any trace. Used for work that serves many requests, which would otherwise belong to the
 * trace of the request that happened to start the work.
 */
export function outsideOfTraces<T>(run: () => T): T {
  return context.with(ROOT_CONTEXT, run);
}

export function inContext<T>(of: Context, run: () => T): T {
  return context.with(of, run);
}

export type SpanOptions = {
  name: string;
  kind: SpanKind;
  attributes?: Attributes;
  /** Parent of the span. The default is the active context. */
  parent?: Context;
};

/** A span that has not ended yet, with setters for facts that are known only at its end. */
export type OpenSpan = {
  set: (attributes: Attributes) => void;
  /**
   * Marks the span as failed. `errorType` is a code such as `timeout`, and never an error message, because a message
   * may quote customers.
   */
  fail: (errorType: string) => void;
};

const NO_SPAN: OpenSpan = { set: () => undefined, fail: () => undefined };

/**
 * Runs a function in a new span. Without an exporter, it only runs the function, in the context of `parent` if one is
 * given. If the function throws, only the error's code or name is recorded.
 */
export async function inSpan<T>(
  options: SpanOptions,
  run: (span: OpenSpan) => Promise<T>,
): Promise<T> {
  const { name, parent, ...about } = options;
  if (tracer === undefined) {
    return parent === undefined ? run(NO_SPAN) : context.with(parent, run, undefined, NO_SPAN);
  }
  const around = parent ?? context.active();
  const span = tracer.startSpan(name, about, around);
  const open = openSpan(span);
  try {
    return await context.with(trace.setSpan(around, span), run, undefined, open);
  } catch (error) {
    open.fail(errorTypeOf(error));
    throw error;
  } finally {
    span.end();
  }
}

/**
 * Starts a span for work that does not end when a promise settles. For other work, use `inSpan`. The caller must call
 * `end` once.
 */
export function startSpan(options: SpanOptions): {
  context: Context;
  span: OpenSpan & { rename: (name: string) => void; end: () => void };
} {
  const { name, parent = context.active(), ...about } = options;
  const nothing = { ...NO_SPAN, rename: () => undefined, end: () => undefined };
  if (tracer === undefined) return { context: parent, span: nothing };
  const span = tracer.startSpan(name, about, parent);
  const rename = (text: string): void => void span.updateName(text);
  return {
    context: trace.setSpan(parent, span),
    span: { ...openSpan(span), rename, end: () => span.end() },
  };
}

function openSpan(span: Span): OpenSpan {
  return {
    set: (attributes) => void span.setAttributes(attributes),
    fail: (errorType) => {
      span.setAttribute('error.type', errorType);
      span.setStatus({ code: SpanStatusCode.ERROR });
    },
  };
}

/** Returns the code or name of an error, never its message. */
export function errorTypeOf(error: unknown): string {
  if (!(error instanceof Error)) return '_OTHER';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/**
 * Creates a context manager based on Node's AsyncLocalStorage. OpenTelemetry's own manager would be another package
 * around the same feature.
 */
function createContexts(): ContextManager {
  const contexts = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => contexts.getStore() ?? ROOT_CONTEXT,
    with: (of, run, self, ...args) => contexts.run(of, () => run.call(self as never, ...args)),
    bind: (of, target) => {
      if (typeof target !== 'function') return target;
      const bound = (...args: unknown[]): unknown =>
        contexts.run(of, () => Reflect.apply(target, undefined, args) as unknown);
      return bound as typeof target;
    },
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}

context.setGlobalContextManager(createContexts());
