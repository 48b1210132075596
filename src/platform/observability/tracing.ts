import { diag, DiagLogLevel } from '@opentelemetry/api';
import type * as Sdk from '@opentelemetry/sdk-trace';
import { clearTimeout, setTimeout } from '../../clock.ts';
import type { TracingSettings } from '../../config.ts';
import type { Logger } from './logger.ts';
import { useTracer } from './trace-context.ts';

/**
 * Sends spans to an OpenTelemetry collector with OTLP over HTTP as JSON. If no collector is configured, OpenTelemetry's
 * packages are not loaded. The exporter reads further settings (headers, timeouts, compression, certificates) from
 * OpenTelemetry's own environment variables. Its requests are the only ones that bypass `platform/egress`. That is
 * safe, because the operator of Parley chooses the collector, and tenants cannot.
 */
export type Tracing = {
  /** Sends pending spans and stops. This takes at most three seconds. */
  stop: () => Promise<void>;
};

/**
 * Interval in ms at which spans are sent. The package's default is five seconds. Ours is shorter, so that people can
 * find a new trace right away.
 */
const SEND_EVERY_MS = 1_000;
/**
 * Maximum time in ms to send the remaining spans at shutdown. It is part of the 25 s within which a process must stop.
 */
const FLUSH_MS = 3_000;

export async function startTracing(
  settings: TracingSettings | undefined,
  about: { role: string; version: string; log: Logger },
): Promise<Tracing> {
  if (settings === undefined) return { stop: async () => undefined };
  const { role, version, log } = about;
  const [sdk, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  logProblems(log);
  // `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` override our own values.
  const named = resources.detectResources({ detectors: [resources.envDetector] });
  const provider = new sdk.TracerProvider({
    resource: resources
      .resourceFromAttributes({ 'service.name': `parley-${role}`, 'service.version': version })
      .merge(named),
    sampler: samplerOf(sdk, settings),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url: settings.url }),
        scheduledDelayMillis: SEND_EVERY_MS,
      }),
    ],
  });
  useTracer(provider.getTracer('parley', version));
  return {
    stop: async () => {
      useTracer(undefined);
      await within(FLUSH_MS, provider.shutdown());
      diag.disable();
    },
  };
}

/** Returns the sampler for the value of `OTEL_TRACES_SAMPLER`. */
function samplerOf(sdk: typeof Sdk, { sampler, ratio }: TracingSettings): Sdk.Sampler {
  const name = sampler.replace('parentbased_', '');
  const root =
    name === 'always_off'
      ? new sdk.AlwaysOffSampler()
      : name === 'traceidratio'
        ? new sdk.TraceIdRatioBasedSampler(ratio)
        : new sdk.AlwaysOnSampler();
  return name === sampler ? root : new sdk.ParentBasedSampler({ root });
}

/**
 * Logs problems with the export as warnings, because they do not affect the program's work: if the collector is
 * unavailable, spans are dropped.
 */
function logProblems(log: Logger): void {
  const warn = (message: string): void => log.warn({ reason: message }, 'cannot export traces');
  const nothing = (): void => undefined;
  const sink = { error: warn, warn, info: nothing, debug: nothing, verbose: nothing };
  diag.setLogger(sink, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work.catch(() => undefined), over]);
  clearTimeout(timer);
}
