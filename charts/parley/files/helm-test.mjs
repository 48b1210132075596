// Program of `helm test`. It creates, edits, rolls back and deletes an agent through the REST API, as a user would. If
// a step fails, it prints the step and exits with 1.
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

const { PARLEY_URL: base, PARLEY_API_KEY: key } = process.env;
const stepMs = Number(process.env.STEP_TIMEOUT_SECONDS) * 1000;
const name = `helm-test-${randomBytes(4).toString('hex')}`;

async function call(method, path, body) {
  const response = await fetch(base + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(10_000),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

/** Repeats a request until the response is as expected, because the operator applies changes later. */
async function until(what, ask, isDone) {
  const deadline = Date.now() + stepMs;
  let last;
  while (Date.now() < deadline) {
    try {
      last = await ask();
      if (isDone(last)) {
        console.log(`ok: ${what}`);
        return;
      }
    } catch (error) {
      last = error;
    }
    await delay(500);
  }
  throw new Error(`not within ${stepMs} ms: ${what}; last: ${last?.stack ?? JSON.stringify(last)}`);
}

let path;
try {
  await until(
    'the API responds',
    () => call('GET', '/v1/agents?limit=1'),
    () => true,
  );
  const agent = await call('POST', '/v1/agents', { name, prompt: 'You are a test. Say so.' });
  path = `/v1/agents/${agent.id}`;
  const read = () => call('GET', path);
  await until(
    'an agent is ready with version 1',
    read,
    (a) => a.status.ready && a.active_version === 1,
  );
  await call('PATCH', path, { prompt: 'You are a test. Say so twice.' });
  await until('an edit is live as version 2', read, (a) => a.active_version === 2);
  await call('POST', `${path}/rollback`, { reason: 'helm test' });
  await until('a rollback brings version 1 back', read, (a) => a.active_version === 1);
} catch (error) {
  console.error(error.stack);
  process.exitCode = 1;
} finally {
  if (path) {
    await call('DELETE', path).then(
      () => console.log('ok: the agent is deleted'),
      (error) => {
        console.error(error.stack);
        process.exitCode = 1;
      },
    );
  }
}
