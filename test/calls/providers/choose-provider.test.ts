import { describe, expect, test } from 'vitest';
import { requireCallable } from '../../../src/calls/providers/choose-provider.ts';
import type { OutboundTerms } from '../../../src/calls/providers/account.ts';

/** Numbers that a TelephonyProvider may call: ordinary ones of the declared countries. */

const outbound: OutboundTerms = {
  countries: ['GB', 'DE', 'IT', 'ES', 'CH', 'US'],
  maxConcurrentCalls: 1,
  maxCallsPerMinute: 1,
  ringSec: 30,
  voicemailMessage: undefined,
};
const ask = (to: string) => requireCallable({ name: 'carrier', outbound }, to, '/provider');

test.each([
  ['fixed', '+442079460000'],
  ['mobile', '+447400123456'],
  ['fixed or mobile', '+12015550123'],
  ['VoIP', '+445612345678'],
  ['toll-free', '+448001234567'],
  ['company', '+445512345678'],
])('a %s number is called: %s', async (_, to) => {
  expect(await ask(to)).toBe(outbound);
});

describe('a number that may cost extra is refused', () => {
  test.each([
    ['premium', '+449098790000', 'premium_rate'],
    ['personal, GB 070', '+447012345678', 'number_type_not_allowed'],
    ['personal, DE 0700', '+4970012345678', 'number_type_not_allowed'],
    ['personal, IT 199', '+39199123456', 'number_type_not_allowed'],
    ['personal, ES 701', '+34701234567', 'number_type_not_allowed'],
    ['personal, CH 0878', '+41878123456', 'number_type_not_allowed'],
    ['pager, GB 076', '+447640123456', 'number_type_not_allowed'],
    ['shared-cost, DE 0180', '+491806123456', 'number_type_not_allowed'],
    ['shared-cost, ES 902', '+34902123456', 'number_type_not_allowed'],
    ['shared-cost, CH 0848', '+41848123456', 'number_type_not_allowed'],
    ['voicemail, CH 0860', '+41860791234567', 'number_type_not_allowed'],
  ])('%s: %s', async (_, to, code) => {
    await expect(ask(to)).rejects.toMatchObject({
      code: 'invalid_body',
      message: expect.stringContaining('may cost extra'),
      errors: [{ pointer: '/to', code }],
    });
  });
});
