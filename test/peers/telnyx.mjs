/** The `telnyx` package, as it is published: what it takes for signed, and what it asks its API. */
import assert from 'node:assert/strict';
import { createPrivateKey, sign } from 'node:crypto';
import Telnyx from 'telnyx';
import { check, key, url } from './peer.mjs';

const { PARLEY_TELNYX_API: api, PARLEY_TELNYX_PUBLIC_KEY: publicKey } = process.env;
const privateKey = createPrivateKey(process.env.PARLEY_TELNYX_KEY);
/** As in phones.ts and telephony.yaml. */
const ACCOUNT = '1f1a8b6f-1234-4abc-9def-1234567890ab';
const API_KEY = 'the-token-of-the-peer';
const VOICE = `${url}/v1/telephony/telnyx/voice`;
const telnyx = new Telnyx({ apiKey: API_KEY, publicKey, baseURL: `${api}/v2`, maxRetries: 0 });

const body = (sid, more = {}) =>
  new URLSearchParams({
    AccountSid: ACCOUNT,
    CallSid: sid,
    CallSidLegacy: sid,
    ConnectionId: '2811212257810187875',
    CallerId: 'Zoë & Söhne = 100% +1 "x"',
    From: '+447700900123',
    To: '+442071838753',
    CallStatus: 'ringing',
    ...more,
  }).toString();

function headersOf(text, { aheadSec = 0 } = {}) {
  const timestamp = String(Math.floor(Date.now() / 1000) + aheadSec);
  const signature = sign(null, Buffer.from(`${timestamp}|${text}`), privateKey).toString('base64');
  return { 'telnyx-timestamp': timestamp, 'telnyx-signature-ed25519': signature };
}

/** What its own package says of a body; it goes on to read it as JSON, which a form is not. */
async function isTaken(text, headers) {
  try {
    await telnyx.webhooks.unwrap(text, { headers });
    return true;
  } catch (error) {
    return error instanceof SyntaxError;
  }
}

async function post(text, headers) {
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const response = await fetch(VOICE, {
    method: 'POST',
    headers: { ...headers, ...type },
    body: text,
  });
  return { status: response.status, text: await response.text() };
}

await check('what it takes for signed, we take for signed, and nothing else', async () => {
  const text = body('v3:peer');
  const good = headersOf(text);
  const stolen = {
    ...good,
    'telnyx-signature-ed25519': headersOf(body('v3:x'))['telnyx-signature-ed25519'],
  };
  const cases = [
    [text, good, true],
    [text, headersOf(text, { aheadSec: -295 }), true],
    [text, headersOf(text, { aheadSec: 295 }), true],
    [text, headersOf(text, { aheadSec: -305 }), false],
    [text, headersOf(text, { aheadSec: 305 }), false],
    [body('v3:other'), good, false],
    [`${text}&More=1`, good, false],
    [text, stolen, false],
    [text, { ...good, 'telnyx-timestamp': `0${good['telnyx-timestamp']}` }, false],
    [text, { ...good, 'telnyx-timestamp': '' }, false],
    [text, { ...good, 'telnyx-signature-ed25519': 'AAAA' }, false],
    [text, {}, false],
  ];
  for (const [sent, headers, isRight] of cases) {
    const { status } = await post(sent, headers);
    assert.deepEqual([await isTaken(sent, headers), status], [isRight, isRight ? 200 : 401]);
  }
});

const asked = async () => (await fetch(`${api}/asked`)).json();
const called = async (path, json) => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = json && JSON.stringify(json);
  const response = await fetch(url + path, { method: json ? 'POST' : 'GET', headers, body });
  return response.json();
};
async function until(look) {
  for (let i = 0; i < 200; i += 1) {
    const seen = await look();
    if (seen) return seen;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('it did not come');
}

await check('it asks its API the same that we ask to place a call', async () => {
  const { data } = await called('/v1/agents?name=sounds');
  await called('/v1/calls', {
    agent_id: data[0].id,
    provider: 'sounds-telnyx',
    to: '+447400123456',
  });
  const [ours] = await until(async () => {
    const all = await asked();
    return all.length > 0 && all;
  });
  await telnyx.texml.accounts.calls.calls(ACCOUNT, { body: JSON.parse(ours.body) });
  const theirs = (await asked()).at(-1);
  assert.deepEqual(
    { ...theirs, body: JSON.parse(theirs.body) },
    { ...ours, body: JSON.parse(ours.body) },
  );
});

await check('it asks its API the same that we ask to hang up', async () => {
  const { data } = await called('/v1/calls?direction=outbound&limit=1');
  const text = body('v3:peer/out', {
    From: '+442071838753',
    To: '+447400123456',
    CallStatus: 'ringing',
  });
  const status = `${VOICE.replace('voice', 'status')}?call=${data[0].id}`;
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const told = await fetch(status, {
    method: 'POST',
    headers: { ...headersOf(text), ...type },
    body: text,
  });
  assert.equal(told.status, 200);
  const before = (await asked()).length;
  await called(`/v1/calls/${data[0].id}/end`, {});
  const ours = (await asked())[before];
  const how = { account_sid: ACCOUNT, Status: 'completed' };
  await telnyx.texml.accounts.calls.update('v3:peer/out', how);
  assert.deepEqual((await asked()).at(-1), ours);
});
