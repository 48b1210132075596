import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Pool } from 'undici';
import type { GreedyPlan, GreedyResult } from './greedy.ts';

/** The thread of greedy.ts. */

const { url, requests, pauseMs, refusedPauseMs } = workerData as GreedyPlan;
const http = new Pool(url, { connections: requests.length, headersTimeout: 300_000 });
const result: GreedyResult = { statuses: new Map(), times: [] };
const over = new AbortController();

async function again(request: GreedyPlan['requests'][number]): Promise<void> {
  const { body, ...rest } = request;
  do {
    const startedMs = performance.now();
    const status = await http.request({ ...rest, body: Buffer.from(body) }).then(
      async (response) => {
        await response.body.dump();
        return response.statusCode;
      },
      () => 0, // Cut.
    );
    result.statuses.set(status, (result.statuses.get(status) ?? 0) + 1);
    result.times.push(performance.now() - startedMs);
    await delay(status >= 200 && status < 300 ? pauseMs : refusedPauseMs);
  } while (!over.signal.aborted);
}

parentPort!.once('message', () => over.abort());
await Promise.all(requests.map(again));
await http.close();
parentPort!.postMessage(result);
