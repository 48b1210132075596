import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';

/** The exporter's packages are in memory only if tracing is enabled. */
const TRACING = path.resolve(import.meta.dirname, '../../../src/platform/observability/tracing.ts');

/** Returns the OpenTelemetry packages that a process loads when it starts tracing with these settings. */
function loadedWith(settings: string): string[] {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = new Set();
    registerHooks({
      resolve: (specifier, context, next) => {
        const found = next(specifier, context);
        const name = /node_modules\\/(@opentelemetry\\/[^/]+)/.exec(found.url)?.[1];
        if (name !== undefined) loaded.add(name);
        return found;
      },
    });
    const { startTracing } = await import(${JSON.stringify(TRACING)});
    const tracing = await startTracing(${settings}, { role: 'x', version: '1', log: {} });
    await tracing.stop();
    process.stdout.write(JSON.stringify([...loaded].sort()));`;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script]);
  return JSON.parse(output.toString()) as string[];
}

test('without a collector nothing but the interface is loaded', () => {
  expect(loadedWith('undefined')).toEqual(['@opentelemetry/api']);
});

test('with one, the exporter is', () => {
  const settings = "{ url: 'http://127.0.0.1:9/v1/traces', sampler: 'always_on', ratio: 1 }";
  expect(loadedWith(settings)).toContain('@opentelemetry/exporter-trace-otlp-http');
});
