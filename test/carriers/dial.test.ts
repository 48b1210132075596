import { describe, expect, test } from 'vitest';
import type { CarrierAccount, CarrierApi } from '../../src/carriers/carrier.ts';
import { createTelnyxApi } from '../../src/carriers/telnyx/telnyx-api.ts';
import { createTwilioApi } from '../../src/carriers/twilio/twilio-api.ts';

/** The requests to dial. */

type Egress = Parameters<typeof createTwilioApi>[0]['egress'];

const CALL = {
  from: '+442071838750',
  to: '+447400123456',
  url: 'https://parley.test/voice?call=call_1',
  statusCallback: 'https://parley.test/status?call=call_1',
  ringSec: 30,
};
const ACCOUNT = {
  accountId: 'AC1',
  authToken: 't',
  apiUrl: 'https://carrier.test',
  own: { applicationId: '28' },
} as unknown as CarrierAccount;

async function asked(
  create: (deps: { egress: Egress }) => CarrierApi,
  detectsMachine: boolean,
): Promise<string> {
  let body = '';
  const send = async (request: { body?: string }) => {
    body = request.body ?? '';
    const answer = Promise.resolve(Buffer.from('{"sid":"CA1"}'));
    return { kind: 'response', statusCode: 201, body: answer };
  };
  await create({ egress: { send } as unknown as Egress }).dial(ACCOUNT, {
    ...CALL,
    detectsMachine,
  });
  return body;
}

describe('a person who picks up waits for no detection of machines', () => {
  test('at Twilio', async () => {
    const form = Object.fromEntries(new URLSearchParams(await asked(createTwilioApi, true)));
    expect(form).toMatchObject({
      MachineDetection: 'DetectMessageEnd',
      AsyncAmd: 'true',
      AsyncAmdStatusCallback: CALL.statusCallback,
    });
  });

  test('at Telnyx', async () => {
    expect(JSON.parse(await asked(createTelnyxApi, true))).toMatchObject({
      MachineDetection: 'DetectMessageEnd',
      AsyncAmd: true,
      AsyncAmdStatusCallback: CALL.statusCallback,
      AsyncAmdStatusCallbackMethod: 'POST',
    });
  });
});

test.each([
  ['Twilio', createTwilioApi],
  ['Telnyx', createTelnyxApi],
])('without a message for a machine, %s looks for none', async (_, create) => {
  const body = await asked(create, false);
  expect(body).not.toContain('MachineDetection');
  expect(body).not.toContain('AsyncAmd');
});
