import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../../until.ts';

/** A span as a collector reads it. */
export type ReceivedSpan = {
  service: string;
  name: string;
  /** OTLP's numbers: 1 internal, 2 server, 3 client. */
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  attributes: Record<string, unknown>;
  failed: boolean;
};

export type OtlpReceiver = {
  /** The URL for traces. */
  url: string;
  spans: ReceivedSpan[];
  /** Returns all received data as text. */
  text: () => string;
  spanNamed: (name: string, check?: (span: ReceivedSpan) => boolean) => Promise<ReceivedSpan>;
  close: () => Promise<void>;
};

type Value = Record<string, unknown>;
type Attribute = { key: string; value: Value };
type OtlpBody = {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: OtlpSpan[] }[];
  }[];
};
type OtlpSpan = Omit<ReceivedSpan, 'service' | 'attributes' | 'failed' | 'parentSpanId'> & {
  parentSpanId?: string;
  attributes: Attribute[];
  status: { code?: number };
};

/** Starts a collector: a real HTTP server that reads OTLP in JSON, as the exporter sends it. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const isOurs = request.url === '/v1/traces' && request.method === 'POST';
      if (!isOurs) {
        response.writeHead(404).end();
        return;
      }
      const text = Buffer.concat(chunks).toString();
      bodies.push(text);
      spans.push(...readSpans(JSON.parse(text) as OtlpBody));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const find = (name: string, check: (span: ReceivedSpan) => boolean): ReceivedSpan | undefined =>
    spans.find((span) => span.name === name && check(span));
  return {
    url: `http://127.0.0.1:${port}/v1/traces`,
    spans,
    text: () => bodies.join('\n'),
    spanNamed: (name, check = () => true) =>
      until(
        () => `the span ${name} among ${spans.map((span) => span.name).join(', ')}`,
        () => find(name, check),
      ),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function readSpans({ resourceSpans }: OtlpBody): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(attributesOf(resource.attributes)['service.name']);
    return scopeSpans.flatMap((scope) =>
      scope.spans.map(({ attributes, status, parentSpanId = '', ...span }) => ({
        ...span,
        service,
        parentSpanId,
        attributes: attributesOf(attributes),
        failed: status.code === 2,
      })),
    );
  });
}

function attributesOf(list: Attribute[]): Record<string, unknown> {
  return Object.fromEntries(list.map(({ key, value }) => [key, plain(value)]));
}

function plain(value: Value): unknown {
  if ('arrayValue' in value) {
    return (value['arrayValue'] as { values: Value[] }).values.map(plain);
  }
  return Object.values(value)[0];
}
