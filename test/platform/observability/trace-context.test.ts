import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createPeriodic } from '../../../src/platform/controller/periodic.ts';
import { createLogger } from '../../../src/platform/observability/logger.ts';
import {
  activeTraceparent,
  contextOf,
  inContext,
  inSpan,
  isTracing,
  SpanKind,
} from '../../../src/platform/observability/trace-context.ts';

/** Without an exporter a traceparent is passed on unchanged, and none is created. */
const GIVEN = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const span = { name: 'x', kind: SpanKind.INTERNAL };

test('no exporter, no traceparent: there is none to send', async () => {
  expect(isTracing()).toBe(false);
  expect(activeTraceparent()).toBeUndefined();
  await inSpan(span, async () => expect(activeTraceparent()).toBeUndefined());
});

test('what came in is what goes on, through awaits, timers and spans', async () => {
  const seen = await inContext(contextOf(GIVEN), async () => {
    await turnOfLoop();
    return inSpan(span, async () => {
      await turnOfLoop();
      return activeTraceparent();
    });
  });
  expect(seen).toBe(GIVEN);
  expect(activeTraceparent()).toBeUndefined();
});

test('two at once do not mix', async () => {
  const other = GIVEN.replace('0af7', '1bf7');
  const read = (given: string): Promise<string | undefined> =>
    inContext(contextOf(given), async () => {
      await turnOfLoop();
      return activeTraceparent();
    });
  expect(await Promise.all([read(GIVEN), read(other)])).toEqual([GIVEN, other]);
});

test.each([
  ['a later version, of which we say what we know', `cc${GIVEN.slice(2)}-what`, GIVEN],
  ['bits that nobody has named', GIVEN.replace(/01$/, 'ff'), GIVEN.replace(/01$/, '03')],
  ['no sampling', GIVEN.replace(/01$/, '00'), GIVEN.replace(/01$/, '00')],
])('of %s', (_, given, sent) => {
  expect(inContext(contextOf(given), activeTraceparent)).toBe(sent);
});

test.each([
  ['nothing', undefined],
  ['two headers', [GIVEN, GIVEN]],
  ['two in one line', `${GIVEN}, ${GIVEN}`],
  ['version ff', `ff${GIVEN.slice(2)}`],
  ['more than version 00 has', `${GIVEN}-00`],
  ['a trace id of zeros', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`],
  ['a span id of zeros', `00-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-01`],
  ['capitals', GIVEN.toUpperCase()],
  ['a line of another header', `${GIVEN}\r\nx: y`],
])('%s is no trace', (_, given) => {
  expect(inContext(contextOf(given), activeTraceparent)).toBeUndefined();
});

test('what a request wakes for everybody is not done in its trace', async () => {
  const seen: (string | undefined)[] = [];
  const log = createLogger('silent', 'test');
  const run = (): Promise<boolean> => {
    seen.push(activeTraceparent());
    return Promise.resolve(false);
  };
  const periodic = createPeriodic({ what: 'a test', everyMs: 60_000, run, log });
  inContext(contextOf(GIVEN), periodic.wake);
  await periodic.stop();
  expect(seen).toEqual([undefined]);
});
