import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { createMetrics } from '../../src/observability/metrics.ts';
import { selectorsOf } from './promql.ts';

/**
 * A rule that names a metric nobody exports never fires, and nobody notices. So names and labels
 * are compared with what the program registers, and the rules run through promtool where it is.
 */
const ROOT = path.resolve(import.meta.dirname, '../..');
const RULES = path.join(ROOT, 'charts/parley/files/alerts/parley.rules.yaml');
const DASHBOARD = path.join(ROOT, 'charts/parley/files/dashboards/parley.json');
const RUNBOOKS = path.join(ROOT, 'docs/runbooks');

type Rule = {
  record?: string;
  alert?: string;
  expr: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
};
type Panel = {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  datasource?: { uid: string };
  targets?: { expr: string; datasource: { uid: string } }[];
};

// Our own files: what is not as these types say fails the tests below.
const { groups } = parse(readFileSync(RULES, 'utf8')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const alerts = rules.filter(({ alert }) => alert !== undefined);
const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as { panels: Panel[] };
const charts = panels.filter(({ type }) => type !== 'row');

/** Of Prometheus itself and of kube-state-metrics, with the labels we may match. */
const FOREIGN: Record<string, readonly string[]> = {
  up: [],
  kube_pod_status_ready: ['condition'],
};
/** Given by the scrape (templates/monitoring/_monitoring.tpl), not by the program. */
const SCRAPE_LABELS = ['namespace', 'job', 'pod', 'component'];

/** Each series the program exports → its labels; `undefined` where prom-client made them. */
const exported = await seriesOf(createMetrics({ processMetrics: true }));
const recorded = new Map(
  rules.flatMap(({ record, expr }) => (record === undefined ? [] : [[record, expr] as const])),
);

async function seriesOf(
  metrics: ReturnType<typeof createMetrics>,
): Promise<Map<string, readonly string[] | undefined>> {
  const labels = new Map<string, readonly string[]>();
  for (const metric of Object.values(metrics) as unknown[]) {
    if (isLabelled(metric)) labels.set(metric.name, metric.labelNames);
  }
  const series = new Map<string, readonly string[] | undefined>();
  const page = await metrics.render();
  for (const [, name = '', type = ''] of page.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    const known = labels.get(name);
    if (type !== 'histogram') series.set(name, known);
    else {
      series.set(`${name}_bucket`, known && [...known, 'le']);
      series.set(`${name}_sum`, known);
      series.set(`${name}_count`, known);
    }
  }
  return series;
}

function isLabelled(value: unknown): value is { name: string; labelNames: readonly string[] } {
  return typeof value === 'object' && value !== null && 'name' in value && 'labelNames' in value;
}

/** What is wrong with an expression: series that do not exist, labels that they do not have. */
function problemsOf(expression: string): string[] {
  const selectors = selectorsOf(expression);
  if (selectors.length === 0) return ['reads nothing'];
  return selectors.flatMap(({ metric, labels }) => {
    const isKnown = exported.has(metric) || recorded.has(metric) || metric in FOREIGN;
    if (!isKnown) return [`nobody exports ${metric}`];
    if (recorded.has(metric)) {
      const kept = /by \(([^)]*)\)/.exec(recorded.get(metric) ?? '')?.[1]?.split(/,\s*/) ?? [];
      return labels.filter((label) => !kept.includes(label)).map((l) => `${metric} lost ${l}`);
    }
    const own = [...(FOREIGN[metric] ?? exported.get(metric) ?? []), ...SCRAPE_LABELS];
    return labels.filter((l) => !own.includes(l)).map((l) => `${metric} has no label ${l}`);
  });
}

describe('alert and recording rules', () => {
  test.each(rules.map((rule) => [rule.alert ?? rule.record ?? '', rule] as const))(
    '%s reads only what the program exports',
    (_, { expr }) => expect(problemsOf(expr)).toEqual([]),
  );

  test.each(rules.map((rule) => [rule.alert ?? rule.record ?? '', rule] as const))(
    '%s looks at one release only',
    (_, { expr }) => {
      const unscoped = selectorsOf(expr).filter(
        ({ metric, labels }) =>
          !recorded.has(metric) &&
          !(labels.includes('namespace') && (labels.includes('job') || metric in FOREIGN)),
      );
      expect(unscoped).toEqual([]);
    },
  );

  test.each(alerts.map((rule) => [rule.alert, rule] as const))(
    '%s says how bad it is, what it means and what to do',
    (name, { labels, annotations }) => {
      expect(['critical', 'warning']).toContain(labels?.['severity']);
      expect(annotations?.['summary']).toMatch(/^[A-Z].*\.$/);
      expect(annotations?.['description']).toMatch(/\{\{ \$labels\.namespace \}\}/);
      expect(annotations?.['runbook_url']).toBe(`docs/runbooks/${name}.md`);
    },
  );

  test('no name is used twice', () => {
    const names = rules.map(({ alert, record }) => alert ?? record);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test('a wrong metric or label would be found', () => {
    expect(problemsOf('rate(parley_webhook_deliverys_total{outcome="x"}[5m]) > 0')).toEqual([
      'nobody exports parley_webhook_deliverys_total',
    ]);
    expect(problemsOf('sum by (job) (rate(parley_events_total{kind="x"}[5m]))')).toEqual([
      'parley_events_total has no label kind',
    ]);
    expect(problemsOf('parley:webhook_endpoints:max{type="x"}')).toHaveLength(1);
    expect(problemsOf('vector(1)')).toEqual(['reads nothing']);
  });
});

describe('runbooks', () => {
  test.each(alerts.map(({ alert }) => [alert]))('%s has one', (name) => {
    const text = readFileSync(path.join(RUNBOOKS, `${name}.md`), 'utf8');
    expect(text).toMatch(new RegExp(`^# ${name}\n`));
    for (const heading of ['## What it means', '## How to see it', '## What to do']) {
      expect(text).toContain(`\n${heading}\n`);
    }
  });

  test('none is left of an alert that is gone', () => {
    const files = readdirSync(RUNBOOKS).filter((file) => file.endsWith('.md'));
    const names = alerts.map(({ alert }) => `${alert}.md`);
    expect(files.filter((file) => file !== 'README.md').sort()).toEqual(names.sort());
  });
});

describe('the Grafana dashboard', () => {
  test('has a row for each part', () => {
    const titles = panels.filter(({ type }) => type === 'row').map(({ title }) => title);
    expect(titles).toEqual(['Delivery', 'Operator', 'API', 'Processes']);
  });

  test.each(charts.map((panel) => [panel.title, panel] as const))(
    '%s asks for what the program exports, of the release that was chosen',
    (_, panel) => {
      expect(panel.targets?.length).toBeGreaterThan(0);
      expect(panel.datasource?.uid).toBe('${datasource}');
      for (const { expr, datasource } of panel.targets ?? []) {
        expect(problemsOf(expr)).toEqual([]);
        expect(expr).toContain('{namespace="$namespace",job="$job"');
        expect(datasource.uid).toBe('${datasource}');
      }
    },
  );

  test('panels have ids of their own and do not lie on each other', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });
});

const promtool = findPromtool();
if (promtool === undefined) {
  process.stderr.write(
    'No promtool on the PATH or in KUBEBUILDER_ASSETS: whether the alerts fire is NOT tested.\n',
  );
}

(promtool === undefined ? describe.skip : describe)('promtool', () => {
  const run = (...args: string[]): string =>
    execFileSync(promtool ?? '', args, { cwd: import.meta.dirname, encoding: 'utf8' });

  test('accepts the rules', () => {
    expect(run('check', 'rules', RULES)).toContain(`${rules.length} rules found`);
  });

  test('sees each alert fire when it should, and only then', () => {
    expect(run('test', 'rules', 'alerts.test.yaml')).toContain('SUCCESS');
  });
});

test('each alert has a case in which it fires and one in which it does not', () => {
  const text = readFileSync(path.join(import.meta.dirname, 'alerts.test.yaml'), 'utf8');
  const cases = parse(text) as {
    tests: { promql_expr_test?: { expr: string; exp_samples?: unknown[] }[] }[];
  };
  const asked = cases.tests.flatMap(({ promql_expr_test = [] }) => promql_expr_test);
  for (const { alert } of alerts) {
    const of = asked.filter(({ expr }) => expr.includes(`alertname="${alert}"`));
    const fires = of.filter(({ exp_samples: samples = [] }) => samples.length > 0);
    expect([alert, fires.length > 0, fires.length < of.length]).toEqual([alert, true, true]);
  }
});

function findPromtool(): string | undefined {
  const folders = [process.env['KUBEBUILDER_ASSETS'], ...(process.env['PATH'] ?? '').split(':')];
  return folders
    .filter((folder) => folder !== undefined && folder !== '')
    .map((folder) => path.join(folder!, 'promtool'))
    .find((file) => existsSync(file));
}
