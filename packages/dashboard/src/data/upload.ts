/**
 * Returns a replacement for `fetch` that reports the progress of one upload. Pass it as the client's `fetch` option. It
 * uses XMLHttpRequest, because `fetch` does not report upload progress.
 */
export function uploadingFetch(
  onProgress: (sentBytes: number, allBytes: number) => void,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const body = await request.blob();
    return new Promise((resolve, reject) => {
      const xhr = new XMLHttpRequest();
      xhr.open(request.method, request.url);
      for (const [name, value] of request.headers) xhr.setRequestHeader(name, value);
      xhr.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded, body.size));
      xhr.addEventListener('load', () => resolve(answerOf(xhr)));
      xhr.addEventListener('error', () => reject(new TypeError('the upload failed')));
      xhr.addEventListener('abort', () => reject(request.signal.reason as Error));
      request.signal.addEventListener('abort', () => xhr.abort());
      if (request.signal.aborted) reject(request.signal.reason as Error);
      else xhr.send(body);
    });
  };
}

function answerOf(xhr: XMLHttpRequest): Response {
  const lines = xhr.getAllResponseHeaders().trim().split(/\r?\n/);
  const headers = lines.map((line): [string, string] => {
    const at = line.indexOf(':');
    return [line.slice(0, at), line.slice(at + 1).trim()];
  });
  return new Response(xhr.responseText, { status: xhr.status, headers });
}
