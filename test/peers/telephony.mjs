/** The `twilio` package, as it is published: it signs as the carrier does, and knows what TwiML there is. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import twilio from 'twilio';
import { check, key, url } from './peer.mjs';

const { getExpectedTwilioSignature, validateRequest } = twilio;
/** As in telephony.yaml. */
const TOKEN = 'the-token-of-the-peer';
const VOICE = `${url}/v1/telephony/twilio/voice`;
const STATUS = `${url}/v1/telephony/twilio/status`;

/** More than we read, and what is sorted and encoded in different ways. */
const form = (more = {}) => ({
  ToCountry: 'GB',
  AccountSid: 'AC00000000000000000000000000000001',
  CallSid: 'CA1',
  From: '+447700900123',
  To: '+442071838750',
  Direction: 'inbound',
  CallStatus: 'ringing',
  CallerName: 'Zoë & Söhne = 100% +1 "x"',
  callToken: '{"parentCallInfoToken":"a b+c"}',
  FromCity: '',
  ...more,
});

async function post(to, fields, { signed = fields, token = TOKEN, at = to } = {}) {
  const signature = getExpectedTwilioSignature(token, at, signed);
  const response = await fetch(to, {
    method: 'POST',
    headers: { 'x-twilio-signature': signature },
    body: new URLSearchParams(fields),
  });
  return { status: response.status, text: await response.text() };
}

const calls = async () => {
  const headers = { authorization: `Bearer ${key}` };
  return (await (await fetch(`${url}/v1/calls`, { headers })).json()).data;
};

await check('what it signed is accepted, and is a call', async () => {
  const { status, text } = await post(VOICE, form());
  assert.equal(status, 200, text);
  assert.deepEqual(
    (await calls()).map((call) => [call.provider_call_id, call.status]),
    [['CA1', 'ringing']],
  );
  assert.equal((await post(STATUS, form({ CallStatus: 'ringing' }))).status, 200);
});

await check('the address of a call, which has a query, is signed with it', async () => {
  const [{ id }] = await calls();
  const to = `${STATUS}?call=${id}`;
  assert.equal((await post(to, form(), { at: STATUS })).status, 401);
  assert.equal((await post(to, form())).status, 200);
});

await check('what was changed after it was signed is refused', async () => {
  const wrong = [
    [form({ CallSid: 'CA2' }), { signed: form() }],
    [form({ CallSid: 'CA2', More: '1' }), { signed: form({ CallSid: 'CA2' }) }],
    [form({ CallSid: 'CA2' }), { token: `${TOKEN}x` }],
    [form({ CallSid: 'CA2' }), { at: STATUS }],
  ];
  for (const [fields, how] of wrong) assert.equal((await post(VOICE, fields, how)).status, 401);
  assert.equal((await calls()).length, 1);
});

await check('what it takes for signed, we take for signed', async () => {
  for (const fields of [form({ CallSid: 'CA3' }), form({ CallSid: 'CA4', Digits: '#*1' })]) {
    const signature = getExpectedTwilioSignature(TOKEN, VOICE, fields);
    assert.ok(validateRequest(TOKEN, signature, VOICE, fields));
    assert.equal((await post(VOICE, fields)).status, 200);
  }
});

await check('its own builder writes the answer that we write', async () => {
  const { text } = await post(VOICE, form({ CallSid: 'CA5' }));
  const relay = attributesOf(text, 'ConversationRelay');
  const parameter = attributesOf(text, 'Parameter');
  const { action } = attributesOf(text, 'Connect');
  const built = new twilio.twiml.VoiceResponse();
  built.connect({ action }).conversationRelay(relay).parameter(parameter);
  const inOneLine = (xml) => xml.replaceAll(/>\s+</g, '><').trim();
  assert.equal(inOneLine(text), inOneLine(built.toString()));
  assert.match(relay.url, /^ws:\/\/.*\/v1\/telephony\/twilio\/relay$/);
});

await check('it knows each attribute that we write', async () => {
  const folder = createRequire(import.meta.url).resolve('twilio/package.json');
  const types = readFileSync(
    folder.replace('package.json', 'lib/twiml/VoiceResponse.d.ts'),
    'utf8',
  );
  const { text } = await post(VOICE, form({ CallSid: 'CA6' }));
  for (const element of ['Connect', 'ConversationRelay', 'Parameter']) {
    const [, known = ''] = types.split(`interface ${element}Attributes {`);
    for (const name of Object.keys(attributesOf(text, element)))
      // Its types write some in lower case that the carrier's documentation does not.
      assert.match(known.split('}')[0], new RegExp(`\\b${name}\\?:`, 'i'), `${element} ${name}`);
  }
});

function attributesOf(xml, element) {
  const [, inside] = new RegExp(`<${element}((?: \\w+="[^"]*")*)/?>`).exec(xml);
  return Object.fromEntries(
    [...inside.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
}
