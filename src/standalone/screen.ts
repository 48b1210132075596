import { styleText } from 'node:util';
import type { ManifestReport } from '../platform/manifests/report.ts';

/**
 * Output of `parley start` for the user, on stderr: first the addresses, then one line per event. stdout contains only
 * one line for programs, which reports that Parley is ready.
 */
export type Screen = {
  welcome: (about: Welcome) => void;
  delivery: (line: DeliveryLine) => void;
  manifest: (line: ManifestReport) => void;
  note: (text: string) => void;
};

export type Welcome = {
  version: string;
  url: string;
  /** Link that can be used once to sign in. */
  dashboard: string;
  apiKey: string;
  dataDir: string;
  database: 'embedded' | 'external';
  manifests: string;
  egressAllow: readonly string[];
  /** Default model provider. */
  model: { name: string; url: string } | undefined;
  demoSecret: string | undefined;
};

export type DeliveryLine = {
  eventType: string;
  eventId: string;
  endpoint: string;
  attempt: number;
  statusCode: number | null;
  errorClass: string | null;
  durationMs: number;
  /** Whether the signatures were valid, according to the demo receiver. Undefined for other receivers. */
  verified: boolean | undefined;
  /** Seconds until the next attempt. Null if no attempt follows. */
  retryInSec: number | null;
};

type Paint = (style: 'bold' | 'dim' | 'green' | 'red', text: string) => string;

/** Width of the longest event type. */
const TYPE_WIDTH = 'conversation.transcript.ready'.length;

export function createScreen(deps: {
  write: (text: string) => void;
  colors: boolean;
  now: () => Date;
}): Screen {
  const paint: Paint = (style, text) =>
    deps.colors ? styleText(style, text, { validateStream: false }) : text;
  const line = (text = ''): void => deps.write(`${text}\n`);
  const event = (text: string): void =>
    line(`  ${paint('dim', deps.now().toTimeString().slice(0, 8))}  ${text}`);
  return {
    welcome: (about) => {
      for (const text of welcomeLines(about, paint)) line(text);
    },
    delivery: (d) => {
      const ok = d.errorClass === null;
      const status = d.statusCode === null ? (d.errorClass ?? '') : String(d.statusCode);
      const verdict =
        d.verified === undefined ? '' : d.verified ? '  signature ok' : '  bad signature';
      const retry =
        d.retryInSec === null ? (ok ? '' : '  gave up') : `  retry in ${d.retryInSec} s`;
      const nth = d.attempt > 1 ? `  attempt ${d.attempt}` : '';
      const result = paint(ok ? 'green' : 'red', status);
      event(
        `${d.eventType.padEnd(TYPE_WIDTH)} ${d.eventId} → ${d.endpoint}  ${result}  ` +
          `${Math.round(d.durationMs)} ms${verdict}${nth}${retry}`,
      );
    },
    manifest: ({ level, text }) => event(level === 'error' ? paint('red', text) : text),
    note: (text) => event(text),
  };
}

function welcomeLines(about: Welcome, paint: Paint): string[] {
  const { url } = about;
  const data = about.database === 'embedded' ? 'delete it to start over' : 'database: DATABASE_URL';
  const row = (name: string, text: string): string => `  ${paint('bold', name.padEnd(12))}${text}`;
  return [
    '',
    `${paint('bold', `Parley ${about.version}`)} · data in ${about.dataDir} (${data}) · for one machine, not for production`,
    '',
    row('Dashboard', about.dashboard),
    row('', 'signs you in once, within a day; the browser stays signed in'),
    row('API', `${url}/v1   documentation: ${url}/docs`),
    row('API key', about.apiKey),
    row('Metrics', `${url}/metrics`),
    ...(about.model === undefined
      ? []
      : [row('Model', `${about.model.name} at ${about.model.url}`)]),
    row('Manifests', `${about.manifests}   edit a file to apply it`),
    ...(about.demoSecret === undefined
      ? []
      : [row('Demo', `endpoint demo-receiver, secret ${about.demoSecret}`)]),
    row(
      'Outgoing',
      `requests may reach ${about.egressAllow.join(', ') || 'public addresses only'}`,
    ),
    '',
    `  curl -H "Authorization: Bearer ${about.apiKey}" ${url}/v1/agents`,
    '',
  ];
}
