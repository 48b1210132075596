/** What each operation of the document answered, by the API's own counter of requests. */
export type Operation = {
  /** `POST /v1/agents` */
  name: string;
  route: string;
  requests: number;
  /** `201×12`, by status. */
  answers: string[];
  /** At least one 2xx. */
  isTried: boolean;
  hasServerError: boolean;
};

const SAMPLE = /^http_server_request_duration_seconds_count\{(.*)\} (\d+)$/gm;

/** `metrics`: the text of /metrics. */
export function coverageOf(
  document: { paths: Record<string, Record<string, unknown>> },
  metrics: string,
): Operation[] {
  const samples = [...metrics.matchAll(SAMPLE)].map(([, labels, count]) => ({
    ...labelsOf(labels!),
    count: Number(count),
  }));
  return Object.entries(document.paths).flatMap(([route, methods]) =>
    Object.keys(methods).map((method): Operation => {
      const own = samples.filter(
        (sample) => sample.route === route && sample.method === method.toUpperCase(),
      );
      return {
        name: `${method.toUpperCase()} ${route}`,
        route,
        requests: own.reduce((sum, { count }) => sum + count, 0),
        answers: own
          .toSorted((a, b) => a.status - b.status)
          .map(({ status, count }) => `${status}×${count}`),
        isTried: own.some(({ status }) => status >= 200 && status < 300),
        // 503 is an outage of what is behind, which a run does not have either.
        hasServerError: own.some(({ status }) => status >= 500),
      };
    }),
  );
}

function labelsOf(text: string): { method: string; route: string; status: number } {
  const labels = Object.fromEntries(
    [...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name!, value!]),
  );
  return {
    method: labels['http_request_method'] ?? '',
    route: labels['http_route'] ?? '',
    status: Number(labels['http_response_status_code']),
  };
}
