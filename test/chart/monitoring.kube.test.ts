import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createMetrics } from '../../src/platform/observability/metrics.ts';
import { findHelm } from './helm.ts';
import { selectorsOf } from './promql.ts';
import { findPromtool } from './promtool.ts';
import { fieldOf, NAMESPACE, ofKind, podsOf, renderChart, type KubeObject } from './rendered.ts';

/**
 * A rule that names a metric nobody exports never fires, and nobody notices. So names and labels
 * are compared with what the program registers, and the rules run through promtool.
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
const metricsOfAll = createMetrics({ processMetrics: true });
// Only a process that measures the queue or those who wait shows these.
metricsOfAll.showBacklog({ pending: 1, oldestDueAgeSec: 1, endpoints: { healthy: 1 } });
metricsOfAll.showWaiting({ waiting: 1, oldestWaitSec: 1 });
const exported = await seriesOf(metricsOfAll);
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
    const known = labels.get(name) ?? labelsOnPage(page, name);
    if (type !== 'histogram') series.set(name, known);
    else {
      series.set(`${name}_bucket`, known && [...known, 'le']);
      series.set(`${name}_sum`, known);
      series.set(`${name}_count`, known);
    }
  }
  return series;
}

/** Of a metric that is no part of the object: the labels of its first sample. */
function labelsOnPage(page: string, name: string): readonly string[] | undefined {
  const labelled = new RegExp(`^${name}\\{(.*)\\} `, 'm').exec(page)?.[1];
  if (labelled === undefined) return undefined;
  return [...labelled.matchAll(/(\w+)="/g)].map(([, label = '']) => label);
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
      expect(annotations?.['runbook']).toBe(`docs/runbooks/${name}.md`);
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
    expect(titles).toEqual([
      'Delivery target',
      'Delivery',
      'Conversations',
      'Escalations',
      'Models and tools',
      'Calls and voice',
      'Operator',
      'API',
      'Processes',
    ]);
  });

  test('shows the promise first: the share of deliveries acknowledged within 0.5 s', () => {
    const [first] = charts.toSorted(
      (a, b) => a.gridPos.y - b.gridPos.y || a.gridPos.x - b.gridPos.x,
    );
    const expr = first?.targets?.[0]?.expr ?? '';
    expect(first?.type).toBe('stat');
    expect(expr).toMatch(/delivery_duration_seconds_bucket\{[^}]*le="0\.5"\}.* \/ .*_count\{/);
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

const helm = await findHelm();

(helm ? describe : describe.skip)('the rendered chart', () => {
  const render = (monitoring: object): Promise<KubeObject[]> => renderChart(helm!, { monitoring });
  const on = { enabled: true };
  const rulesOf = (objects: readonly KubeObject[]): Rule[] => {
    const rendered = fieldOf(ofKind(objects, 'PrometheusRule')[0], 'spec', 'groups');
    return (rendered as { rules: Rule[] }[]).flatMap((group) => group.rules);
  };

  test('has none of it unless asked', async () => {
    const kinds = (await render({})).map(({ kind }) => kind);
    for (const kind of ['PodMonitor', 'ServiceMonitor', 'PrometheusRule']) {
      expect(kinds).not.toContain(kind);
    }
  });

  test('has the rules of this release, with links to its runbooks', async () => {
    const rendered = rulesOf(
      await render({ prometheusRule: { ...on, runbookBaseUrl: 'https://example.com/books/' } }),
    );
    expect(rendered).toHaveLength(rules.length);
    for (const { alert, expr, annotations } of rendered) {
      const scopes = [...expr.matchAll(/namespace="([^"]*)",(job="[^"]*"|pod=~"[^"]*")/g)];
      for (const [, namespace, release] of scopes) {
        expect(namespace).toBe(NAMESPACE);
        expect(release).toMatch(/^(job="demo-parley"|pod=~"demo-parley-\(operator)/);
      }
      if (alert === undefined) continue;
      expect(annotations?.['runbook_url']).toBe(`https://example.com/books/${alert}.md`);
      expect(annotations).not.toHaveProperty('runbook');
    }
  });

  test('has no link that leads nowhere: without an address the alerts name the file', async () => {
    for (const { alert, annotations } of rulesOf(await render({ prometheusRule: on }))) {
      if (alert === undefined) continue;
      expect(annotations).not.toHaveProperty('runbook_url');
      expect(annotations?.['runbook']).toBe(`docs/runbooks/${alert}.md`);
    }
    const relative = render({ prometheusRule: { ...on, runbookBaseUrl: 'docs/runbooks' } });
    await expect(relative).rejects.toThrow(/runbookBaseUrl/);
  });

  test('leaves out the alerts that are switched off, and adds groups', async () => {
    const extra = { name: 'mine', rules: [{ alert: 'Mine', expr: 'vector(1)' }] };
    const names = rulesOf(
      await render({
        prometheusRule: { ...on, disabledAlerts: ['ParleyApiSlow'], extraRuleGroups: [extra] },
      }),
    ).map(({ alert }) => alert);
    expect(names).not.toContain('ParleyApiSlow');
    expect(names).toContain('ParleyApiErrors');
    expect(names.at(-1)).toBe('Mine');
  });

  test.each(['podMonitor', 'serviceMonitor'])('%s finds the pods of the roles', async (name) => {
    const objects = await render({ [name]: { ...on, labels: { team: 'voice' } } });
    const monitor = ofKind(objects, name === 'podMonitor' ? 'PodMonitor' : 'ServiceMonitor')[0]!;
    expect(monitor.metadata.labels['team']).toBe('voice');
    const selector = fieldOf(monitor, 'spec', 'selector', 'matchLabels');
    // A ServiceMonitor finds pods through a Service: there must be one, and no other's.
    const services = ofKind(objects, 'Service').filter(({ metadata }) =>
      contains(metadata.labels, selector),
    );
    if (name === 'serviceMonitor') expect(services).toHaveLength(1);
    const found = name === 'podMonitor' ? selector : fieldOf(services[0], 'spec', 'selector');
    const field = name === 'podMonitor' ? 'podMetricsEndpoints' : 'endpoints';
    const kept = fieldOf(monitor, 'spec', field, 0, 'relabelings', 0, 'regex') as string;
    const scraped = podsOf(objects)
      .filter(({ labels }) => contains(labels, found))
      .filter(({ labels }) => kept.split('|').includes(labels['app.kubernetes.io/component']!));
    expect(scraped.map(({ owner }) => owner).sort()).toEqual([
      'Deployment/demo-parley-api',
      'Deployment/demo-parley-delivery',
      'Deployment/demo-parley-operator',
    ]);
    for (const { spec } of scraped) {
      expect(spec.containers[0]?.ports.map((port) => port.name)).toContain('metrics');
    }
  });

  test('refuses two monitors of the same pods', async () => {
    const both = render({ podMonitor: on, serviceMonitor: on });
    await expect(both).rejects.toThrow(/podMonitor or serviceMonitor, not both/);
  });

  test('has the dashboard as it is in the file, where the sidecar of Grafana looks', async () => {
    const objects = await render({ dashboard: on });
    const map = ofKind(objects, 'ConfigMap').find((one) => one.metadata.name.endsWith('dashboard'));
    expect(map?.metadata.labels['grafana_dashboard']).toBe('1');
    const text = fieldOf(map, 'data', 'parley.json') as string;
    expect(JSON.parse(text)).toEqual(JSON.parse(readFileSync(DASHBOARD, 'utf8')));
  });
});

function contains(labels: Record<string, string>, selector: unknown): boolean {
  return Object.entries(selector as Record<string, string>).every(
    ([key, value]) => labels[key] === value,
  );
}

const promtool = await findPromtool();

(promtool ? describe : describe.skip)('promtool', () => {
  const run = (...args: string[]): string =>
    execFileSync(promtool!, args, { cwd: import.meta.dirname, encoding: 'utf8' });

  test('accepts the rules', () => {
    expect(run('check', 'rules', RULES)).toContain(`${rules.length} rules found`);
  });

  (helm ? test : test.skip)('accepts the rules as the chart renders them', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'parley-rules-'));
    const file = path.join(folder, 'rules.json'); // JSON is YAML.
    const prometheusRule = { enabled: true, runbookBaseUrl: 'https://example.com/books' };
    const [rendered] = ofKind(
      await renderChart(helm!, { monitoring: { prometheusRule } }),
      'PrometheusRule',
    );
    await writeFile(file, JSON.stringify(rendered?.['spec']));
    expect(run('check', 'rules', file)).toContain(`${rules.length} rules found`);
    await rm(folder, { recursive: true });
  });

  // Each case has a time series database of its own on disk: half a minute on a busy machine.
  test('sees each alert fire when it should, and only then', () => {
    expect(run('test', 'rules', 'alerts.test.yaml')).toContain('SUCCESS');
  }, 180_000);
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
