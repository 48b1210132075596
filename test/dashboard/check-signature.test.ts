import { describe, expect, test } from 'vitest';
import { createHmac, randomBytes } from 'node:crypto';
import { checkSignature } from '../../packages/dashboard/src/pages/webhooks/signature/check-signature.ts';
import { signBody, signStandard } from '../../src/platform/egress/signature.ts';

/** What the dashboard says to a receiver whose check fails, by signatures as Parley makes them. */

const secret = `whsec_${randomBytes(32).toString('base64')}`;
const sent = { id: 'evt_1', type: 'agent.published', created: 1_795_405_841, data: { name: 'ü' } };
const body = JSON.stringify(sent);
const signature = signBody(secret, Buffer.from(body));

test('what was signed with the secret is valid, by either header', async () => {
  expect(await checkSignature({ body, signature, secret })).toMatchObject({ isValid: true });
  expect(await checkSignature({ body, signature: ` ${signature}\n`, secret })).toMatchObject({
    isValid: true,
  });
  const of = { id: 'evt_1', timestampSec: 1_795_405_900, body: Buffer.from(body) };
  const standard = {
    body,
    signature: `v1,${randomBytes(32).toString('base64')} ${signStandard(secret, of)}`,
    secret,
    id: 'evt_1',
    timestamp: '1795405900',
  };
  expect(await checkSignature(standard)).toMatchObject({ isValid: true });
  expect(await checkSignature({ ...standard, timestamp: '1795405901' })).toMatchObject({
    isValid: false,
  });
});

describe('why it does not fit', () => {
  const sorted = JSON.stringify({
    data: sent.data,
    created: sent.created,
    id: 'evt_1',
    type: sent.type,
  });
  const asPython = body
    .replaceAll('":', '": ')
    .replaceAll(',"', ', "')
    .replace('ü', String.raw`\u00fc`);
  const decoded = Buffer.from(secret.slice(6), 'base64');
  test.each([
    ['another secret', { secret: `whsec_${randomBytes(32).toString('base64')}` }, /different/],
    ['written again with spaces', { body: asPython }, /parsed and written again/],
    ['written again in lines', { body: JSON.stringify(sent, null, 2) }, /parsed and written again/],
    ['written again in another order', { body: sorted }, /parsed and written again/],
    ['a line end', { body: `${body}\n` }, /extra whitespace at its start or end/],
    ['upper case', { signature: signature.toUpperCase() }, /upper case/],
    ['a prefix', { signature: `sha256=${signature}` }, /sha256=/],
    ['base64', { signature: Buffer.from(signature, 'hex').toString('base64') }, /base64/],
    [
      'the decoded secret',
      { signature: createHmac('sha256', decoded).update(body).digest('hex') },
      /decoded bytes/,
    ],
    ['no signature', { signature: 'abc' }, /not a signature/],
    ['half a secret', { secret: 'MfKQ' }, /not an endpoint secret/],
    ['a changed body', { body: body.replace('agent', 'agents') }, /different/],
    ['a cut body', { body: body.slice(0, -4) }, /was changed/],
    ['nothing', { secret: '' }, /too/],
  ])('%s', async (_, changed, says) => {
    const checked = await checkSignature({ body, signature, secret, ...changed });
    expect(checked.isValid).toBe(false);
    expect(checked.says).toMatch(says);
  });
});
