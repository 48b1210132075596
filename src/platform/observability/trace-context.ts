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
 * Tracks the current trace (W3C Trace Context) through every await of a request. Without an exporter (tracing.ts) no
 * spans or ids are created: an incoming `traceparent` is passed on unchanged.
 * `tracestate` is not passed on, because it would reveal the caller's tracing systems to receivers and tools of other
 * parties.
 */

/** Undefined if no exporter is configured. */
let tracer: Tracer | undefined;

/** Sets the tracer. Only tracing.ts calls it. */
export function useTracer(given: Tracer | undefined): void {
  tracer = given;
}

export const isTracing = (): boolean => tracer !== undefined;

/** Version 00, and the part of later versions that version 00 defines. */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const NOTHING = /^0+$/;
/** The known bits of this byte: sampled, and (level 2) that the trace id is random. */
const KNOWN_FLAGS = 3;

/** Returns the context of a `traceparent`, or one without a trace if it is missing or invalid. */
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

/** Returns the `traceparent` to send or store so that later work belongs to the active trace; usually undefined. */
export function activeTraceparent(): string | undefined {
  const active = trace.getSpanContext(context.active());
  return active && format(active);
}

/** Returns the active trace as a header of an outgoing request. */
export function traceHeaders(): { traceparent?: string } {
  const traceparent = activeTraceparent();
  return traceparent === undefined ? {} : { traceparent };
}

function format({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** Runs shared work outside of any trace, because a single request merely woke it. */
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
  /** Default: the active context. */
  parent?: Context;
};

/** Setters for facts that are known only at the end. */
export type OpenSpan = {
  set: (attributes: Attributes) => void;
  /**
   * Marks the span as failed. `errorType` is a code such as `timeout`, never a text, which may contain customers'
   * words.
   */
  fail: (errorType: string) => void;
};

const NO_SPAN: OpenSpan = { set: () => undefined, fail: () => undefined };

/**
 * Runs a function in a span of its own. Without an exporter it only runs it, in the parent if there is one. A thrown
 * error is recorded by its code or name alone.
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

/** Starts a span whose end does not depend on a promise. Call `end` once. */
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

/** Creates a context manager. OpenTelemetry's own is an extra package around a feature that Node already has. */
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
