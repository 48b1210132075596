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
 * In which trace something happens (W3C Trace Context), through every await of a request. Without an
 * exporter (tracing.ts) no span and no id is made: a `traceparent` that came in is handed on as it
 * is, and where none came in, nothing is.
 *
 * `tracestate` is not handed on: it tells receivers and tools, which are others, of the systems that
 * the caller traces with.
 */

/** undefined: no exporter is configured. */
let tracer: Tracer | undefined;

/** Of tracing.ts alone. */
export function useTracer(given: Tracer | undefined): void {
  tracer = given;
}

/** Whether spans are made. */
export const isTracing = (): boolean => tracer !== undefined;

/** Version 00, and of later versions the part that this one knows. */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const NOTHING = /^0+$/;
/** Sampled, and (level 2) that the trace id is random: all that is known of this byte. */
const KNOWN_FLAGS = 3;

/** The context of a `traceparent`; of a wrong one, or none, that of no trace. */
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

/** What to send or store so that what follows belongs to the trace that is active; mostly undefined. */
export function activeTraceparent(): string | undefined {
  const active = trace.getSpanContext(context.active());
  return active && format(active);
}

/** The active trace as a header of a request that belongs to it. */
export function traceHeaders(): { traceparent?: string } {
  const traceparent = activeTraceparent();
  return traceparent === undefined ? {} : { traceparent };
}

function format({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** For what serves everybody, and was only woken by somebody: it belongs to no trace. */
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
  /** Default: what is active. */
  parent?: Context;
};

/** What is known only at the end. */
export type OpenSpan = {
  set: (attributes: Attributes) => void;
  /** A word for programs, such as `timeout`; never a text, which may hold somebody's words. */
  fail: (errorType: string) => void;
};

const NO_SPAN: OpenSpan = { set: () => undefined, fail: () => undefined };

/**
 * Runs in a span of its own; without an exporter just runs, in the parent where one is given. An error
 * that is thrown is noted by its code or name alone.
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

/** A span whose end is not that of a promise: `end` is called once. */
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

/** Never the message. */
export function errorTypeOf(error: unknown): string {
  if (!(error instanceof Error)) return '_OTHER';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** OpenTelemetry's own is a package of its own, for what Node brings along. */
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
