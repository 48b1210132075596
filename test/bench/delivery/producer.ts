import { Pool, type Dispatcher } from 'undici';
import { newId } from '../../../src/ids.ts';
import { nowNs, type Plan, type Produced, type Request } from './wire.ts';
import { serve } from './worker.ts';

/**
 * Who makes the events, in a process of its own. Closed loop: so many callers, each with one
 * request at a time. Open loop: requests leave at their times whatever the answers take, and a
 * latency counts from the time that was planned, so a stall is measured and not skipped.
 */

/** As a service with many callers would have them; more would only wait inside of the API. */
const CONNECTIONS = 64;
const MS = 1e6;
/** Below it a timer is too coarse: the thread sleeps the rest exactly, and burns nothing. */
const FINE_MS = 1.5;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** `asked`: an open loop is to end; a call sets it while the loop runs. */
const stop = { asked: false };

class Columns {
  ids: string[] = [];
  dueNs: number[] = [];
  sentNs: number[] = [];
  answeredNs: number[] = [];
  status: number[] = [];
  target: number[] = [];

  produced(): Produced {
    return {
      ids: this.ids,
      dueNs: Float64Array.from(this.dueNs),
      sentNs: Float64Array.from(this.sentNs),
      answeredNs: Float64Array.from(this.answeredNs),
      status: Uint16Array.from(this.status),
      target: Uint16Array.from(this.target),
    };
  }
}

async function run(plan: Plan): Promise<Produced> {
  stop.asked = false;
  const connections = 'callers' in plan ? plan.callers : CONNECTIONS;
  const pool = new Pool(plan.base, {
    connections,
    headersTimeout: 60_000,
    keepAliveTimeout: 60_000,
  });
  const record = new Columns();
  const send = (dueNs: number, done: () => void): void => {
    exchange({ pool, plan, record, dueNs }, done);
  };
  await ('callers' in plan ? closedLoop(plan, send) : openLoop(plan, send));
  await pool.close();
  return record.produced();
}

type Send = (dueNs: number, done: () => void) => void;

function closedLoop(plan: { callers: number; count: number }, send: Send): Promise<void> {
  return new Promise((resolve) => {
    let begun = 0;
    let ended = 0;
    const next = (): void => {
      if (begun >= plan.count) return;
      begun += 1;
      send(nowNs(), () => {
        ended += 1;
        if (ended === plan.count) resolve();
        else next();
      });
    };
    for (let i = 0; i < plan.callers; i += 1) next();
  });
}

async function openLoop(plan: { rate: number; seconds?: number }, send: Send): Promise<void> {
  const count = plan.seconds === undefined ? Infinity : Math.round(plan.rate * plan.seconds);
  const startNs = nowNs() + 5 * MS;
  let begun = 0;
  let ended = 0;
  const over = Promise.withResolvers<void>();
  while (begun < count && !stop.asked) {
    const dueNs = startNs + (begun * 1e9) / plan.rate;
    await until(dueNs);
    begun += 1;
    send(dueNs, () => {
      ended += 1;
      if (ended === begun && (begun >= count || stop.asked)) over.resolve();
    });
  }
  if (ended < begun) await over.promise;
}

/** Lets the event loop run at least once. */
async function until(dueNs: number): Promise<void> {
  const leftMs = (dueNs - nowNs()) / MS;
  if (leftMs > FINE_MS) {
    await new Promise((resolve) => setTimeout(resolve, Math.floor(leftMs - 1)));
  } else await new Promise((resolve) => setImmediate(resolve));
  const restMs = (dueNs - nowNs()) / MS;
  if (restMs > FINE_MS) await until(dueNs);
  else if (restMs > 0) Atomics.wait(sleeper, 0, 0, restMs);
}

/** undici's handler instead of its promises and streams: half the CPU, which others need. */
function exchange(
  of: { pool: Pool; plan: Plan; record: Columns; dueNs: number },
  done: () => void,
): void {
  const { plan, record, dueNs } = of;
  const n = record.ids.length;
  const request = plan.requests[n % plan.requests.length]!;
  const id = plan.ids === 'given' ? newId('evt') : '';
  record.ids.push(id);
  record.dueNs.push(dueNs);
  record.sentNs.push(nowNs());
  record.answeredNs.push(0);
  record.status.push(0);
  record.target.push(request.target);
  let status = 0;
  let text = '';
  const finish = (): void => {
    record.answeredNs[n] = nowNs();
    record.status[n] = status;
    if (plan.ids !== 'given' && status < 300) record.ids[n] = idIn(text, plan.ids);
    done();
  };
  of.pool.dispatch(dispatchOptions(request, id), {
    onRequestStart: () => undefined,
    onResponseStart: (_, statusCode) => {
      status = statusCode;
    },
    onResponseData: (_, chunk) => {
      text += chunk.toString('latin1');
    },
    onResponseEnd: finish,
    onResponseError: () => {
      status = 0;
      finish();
    },
  });
}

function dispatchOptions(request: Request, id: string): Dispatcher.DispatchOptions {
  const { path, headers, body } = request;
  return {
    method: 'POST',
    path,
    headers: id === '' ? headers : { ...headers, 'parley-event-id': id },
    ...(body !== undefined && { body: id === '' ? body : body.replace('%ID%', id) }),
  };
}

/** Parsing all of it would cost more than sending the request did. */
function idIn(answer: string, field: 'event_id' | 'id'): string {
  const start = answer.indexOf(`"${field}":"`) + field.length + 4;
  return answer.slice(start, answer.indexOf('"', start));
}

serve({
  run,
  stop: () => {
    stop.asked = true;
  },
});
