import { request, type IncomingMessage } from 'node:http';

export type Sent = { id: string; event: string; data: string; atMs: number };

/** An SSE client that keeps what it gets. */
export async function followStream(
  url: string,
  {
    key,
    query = '',
    headers = {},
  }: { key: string; query?: string; headers?: Record<string, string> },
) {
  const got: Sent[] = [];
  const waiting = new Set<() => void>();
  let ended = false;
  const sent = request(`${url}/v1/events/stream${query}`, {
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream', ...headers },
  });
  sent.end();
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve);
    sent.once('error', reject);
  });
  sent.on('error', () => undefined);
  let text = '';
  const wake = (): void => waiting.forEach((check) => check());
  response.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const field = (name: string): string =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? '';
      if (lines[0] === ':') continue;
      got.push({
        id: field('id'),
        event: field('event'),
        data: field('data'),
        atMs: performance.now(),
      });
    }
    wake();
  });
  response.on('close', () => {
    ended = true;
    wake();
  });
  const until = (condition: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`waited in vain; got ${JSON.stringify(got.map(({ id }) => id))}`));
      }, 10_000);
      const check = (): void => {
        if (!condition()) return;
        clearTimeout(timer);
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  return {
    status: response.statusCode,
    headers: response.headers,
    got,
    ids: () => got.map(({ id }) => id),
    length: (length: number) => until(() => got.length >= length),
    until: (condition: (got: readonly Sent[]) => boolean) => until(() => condition(got)),
    ended: () => until(() => ended),
    pause: () => response.pause(),
    resume: () => response.resume(),
    close: () => sent.destroy(),
  };
}
