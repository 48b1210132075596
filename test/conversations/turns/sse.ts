export type SseReader = {
  status: number;
  /** The next event that is no heartbeat; undefined: the stream is over. */
  next: () => Promise<{ event?: string; id?: string; data: any } | undefined>; // oxlint-disable-line typescript/no-explicit-any
  /** All to the end. */
  rest: () => Promise<{ event?: string; id?: string; data: any }[]>; // oxlint-disable-line typescript/no-explicit-any
  close: () => void;
};

/** Reads server-sent events one by one. */
export async function openSse(
  url: string,
  { key, json, headers = {} }: { key: string; json?: unknown; headers?: Record<string, string> },
): Promise<SseReader> {
  const closing = new AbortController();
  const response = await fetch(url, {
    method: json === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      accept: 'text/event-stream',
      'content-type': 'application/json',
      ...headers,
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
    signal: closing.signal,
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const next: SseReader['next'] = async () => {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end >= 0) {
        const lines = text.slice(0, end).split('\n');
        text = text.slice(end + 2);
        const fields = Object.fromEntries(
          lines.map((line) => [line.split(':', 1)[0], line.slice(line.indexOf(':') + 2)]),
        );
        if (fields['data'] === undefined) continue;
        return { ...fields, data: JSON.parse(fields['data']) };
      }
      const { done, value } = await reader.read();
      if (done) return undefined;
      text += value;
    }
  };
  return {
    status: response.status,
    next,
    rest: async () => {
      const all = [];
      for (let one = await next(); one; one = await next()) all.push(one);
      return all;
    },
    close: () => closing.abort(),
  };
}
