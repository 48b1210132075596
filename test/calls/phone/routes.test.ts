import { expect, test } from 'vitest';
import { carrierRoutes } from '../../../src/calls/phone/carrier.routes.ts';
import { afterHandOff } from '../../../src/calls/phone/after-transfer.ts';
import { CARRIERS } from '../../../src/carriers/carriers.ts';
import { TWILIO } from '../../../src/carriers/twilio/twilio.ts';
import { EMPTY_TWIML } from '../../../src/carriers/twiml/twiml.ts';
import type { OfCall, VoiceDeps } from '../../../src/calls/phone/voice-deps.ts';

const NO_DEPS = {} as VoiceDeps;

test('each carrier has its own two operations', () => {
  const operations = carrierRoutes(NO_DEPS).map(({ operationId }) => operationId);
  expect(operations.slice(0, 2)).toEqual(['answerTwilioCall', 'noteTwilioStatus']);
  expect(operations).toEqual(
    CARRIERS.flatMap(({ name }) => [`answer${name}Call`, `note${name}Status`]),
  );
});

/** Reports the end of a socket from before `after` transfers, for a call with this number of transfers. */
const handedOff = (after: number, call: { transfers: number; status: string }): Promise<string> =>
  afterHandOff(NO_DEPS, {
    call,
    account: {},
    sent: { after, carrier: TWILIO },
  } as unknown as OfCall);

test('the end of an earlier socket than the last rings nobody', async () => {
  expect(await handedOff(0, { transfers: 2, status: 'transferring' })).toBe(EMPTY_TWIML);
  expect(await handedOff(2, { transfers: 2, status: 'transferring' })).toBe(EMPTY_TWIML);
});

test('the end of a socket rings nobody once the transfer is over', async () => {
  expect(await handedOff(1, { transfers: 2, status: 'in_progress' })).toBe(EMPTY_TWIML);
});
