import { request } from 'node:http';
import { text } from 'node:stream/consumers';

/** One request with exactly these headers, `Host` too, which fetch does not let one choose. */
export function rawRequest(
  url: string,
  {
    method = 'GET',
    path,
    headers = {},
    body,
  }: { method?: string; path: string; headers?: Record<string, string>; body?: string },
): Promise<RawReply> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      text(response)
        .then((answered) => {
          const isJson = /json/.test(response.headers['content-type'] ?? '') && answered !== '';
          resolve({
            status: response.statusCode!,
            headers: response.headers,
            cookies: response.headers['set-cookie'] ?? [],
            body: isJson ? JSON.parse(answered) : undefined,
          });
        })
        .catch(reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

export type RawReply = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  cookies: string[];
  // Tests look at what they expect to be there.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
};
