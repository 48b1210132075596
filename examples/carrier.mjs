// A stand-in for a carrier, so that you can phone an agent from the terminal without an account anywhere.
//
//   node examples/carrier.mjs --number +442071838750   rings a number of a TelephonyProvider
//   node examples/carrier.mjs                          waits on http://localhost:4795 for calls that go out
//   … --telnyx                                         as Telnyx does it, and not Twilio
//
// No packages needed, Node 22 or newer (20 with --experimental-websocket). It does what Twilio and Telnyx do with
// ConversationRelay: signs its requests, opens the socket that the answer names, and turns speech into text and
// back, which here is typing and printing. A line of yours is what the caller says; one of digits is keys that they
// press; one that you type while the agent speaks interrupts it. Ctrl-D hangs up.

import { createHash, createHmac, createPrivateKey, createPublicKey } from 'node:crypto';
import { randomBytes, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';

const { PARLEY = 'http://127.0.0.1:8080', AUTH_TOKEN = 'token-of-the-stand-in' } = process.env;
const { values: options } = parseArgs({
  options: {
    number: { type: 'string' },
    from: { type: 'string', default: '+447700900123' },
    account: { type: 'string', default: 'AC00000000000000000000000000000001' },
    telnyx: { type: 'boolean', default: false },
  },
});
if (globalThis.WebSocket === undefined) {
  console.error(
    'This Node has no WebSocket: use Node 22 or newer, or node --experimental-websocket',
  );
  process.exit(1);
}
/** As fast as people speak. */
const WORD_MS = 250;
const lines = createInterface({ input: process.stdin });
/** Sockets of the calls that go on. */
const calls = new Map();

/** HMAC-SHA1 with the token, of the address and the form. */
const twilio = {
  voice: '/v1/telephony/twilio/voice',
  newSid: () => `CA${randomBytes(16).toString('hex')}`,
  sign: (url, form) => {
    const sorted = Object.keys(form).toSorted();
    const signed = url + sorted.map((name) => name + form[name]).join('');
    const made = createHmac('sha1', AUTH_TOKEN).update(signed).digest('base64');
    return { 'x-twilio-signature': made };
  },
  formOf: (body) => Object.fromEntries(new URLSearchParams(body)),
  answer: (sid, status) => ({ sid, status, calls: [] }),
};

/** Ed25519 of the time and the form, by a key that is made of the token here; the id of a call it tells later. */
const telnyx = {
  voice: '/v1/telephony/telnyx/voice',
  newSid: () => `v3:${randomBytes(36).toString('base64url')}`,
  key: () => {
    const head = Buffer.from('302e020100300506032b657004220420', 'hex');
    const seed = createHash('sha256').update(AUTH_TOKEN).digest();
    const der = Buffer.concat([head, seed]);
    return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  },
  publicKey: () => {
    const { x } = createPublicKey(telnyx.key()).export({ format: 'jwk' });
    return Buffer.from(x, 'base64url').toString('base64');
  },
  sign: (_, form) => {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signed = Buffer.from(`${timestamp}|${new URLSearchParams(form)}`);
    const made = sign(null, signed, telnyx.key()).toString('base64');
    return { 'telnyx-timestamp': timestamp, 'telnyx-signature-ed25519': made };
  },
  formOf: (body) => (body.startsWith('{') ? JSON.parse(body) : twilio.formOf(body)),
  answer: (sid, status, form) =>
    form.To ? { from: form.From, to: form.To, status } : { sid, status, calls: [] },
};
const carrier = options.telnyx ? telnyx : twilio;

/** Posts a form as the carrier does, and answers with the TwiML that comes back. */
async function post(url, fields) {
  const form = { AccountSid: options.account, ...fields };
  const headers = carrier.sign(url, form);
  const answer = await fetch(url, { method: 'POST', headers, body: new URLSearchParams(form) });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer.text();
}

/** Of the first element of that name. Addresses have no entity but this one. */
const attribute = (twiml, element, name) =>
  new RegExp(`<${element}[^>]* ${name}="([^"]*)"`).exec(twiml)?.[1].replaceAll('&amp;', '&');

/** Does what the TwiML says, and what comes after it; resolves when the call is over. */
async function follow(twiml, sid) {
  let next = twiml;
  while (next !== undefined) next = await (next.includes('<Dial') ? dial : relay)(next, sid);
  console.log('-- the call is over');
}

/** A conversation; resolves with what the TwiML after it is, where the call goes on. */
async function relay(twiml, sid) {
  const url = attribute(twiml, 'ConversationRelay', 'url');
  if (url === undefined) {
    console.log(`-- no conversation: ${twiml.split('\n')[1]}`);
    return undefined;
  }
  const handoff = await talk(new WebSocket(url), sid, attribute(twiml, 'Parameter', 'value'));
  const action = attribute(twiml, 'Connect', 'action');
  const isOver = handoff === undefined;
  const answer = await post(action, {
    CallSid: sid,
    SessionStatus: isOver ? 'completed' : 'ended',
    CallStatus: isOver ? 'completed' : 'in-progress',
    ...(!isOver && { HandoffData: handoff }),
  });
  return isOver ? undefined : answer;
}

/** Rings another number for the call; resolves likewise. */
async function dial(twiml, sid) {
  const [, to] = /<Number[^>]*>([^<]*)/.exec(twiml);
  console.log(`-- rings ${to}: Enter picks up, a word and Enter: nobody does`);
  const action = attribute(twiml, 'Dial', 'action');
  const over = (DialCallStatus, CallStatus) =>
    post(action, { CallSid: sid, CallStatus, DialCallStatus });
  if ((await nextLine()) !== '') return over('no-answer', 'in-progress');
  const theirs = { CallSid: newSid(), ParentCallSid: sid, CallStatus: 'in-progress' };
  await post(attribute(twiml, 'Number', 'statusCallback'), theirs);
  console.log('-- the two of you talk: Enter hangs up');
  await nextLine();
  await over('completed', 'completed');
  return undefined;
}

/** What is typed next; a word at the end of the input. */
const nextLine = () =>
  new Promise((resolve) => lines.once('line', resolve).once('close', () => resolve('-')));

function talk(socket, sid, token) {
  const send = (frame) => socket.send(JSON.stringify(frame));
  let toSay = '';
  let said = '';
  let handoff;
  const speaking = setInterval(() => {
    const [word = ''] = /^\s*\S+\s*/.exec(toSay) ?? [];
    toSay = toSay.slice(word.length);
    said += word;
    process.stdout.write(word);
    if (word !== '' && toSay === '') process.stdout.write('\n');
  }, WORD_MS);

  const hear = (line) => {
    if (/^[0-9*#]+$/.test(line)) return [...line].forEach((digit) => send({ type: 'dtmf', digit }));
    if (toSay !== '') {
      send({ type: 'interrupt', utteranceUntilInterrupt: said, durationUntilInterruptMs: 0 });
      console.log(' … (interrupted)');
    }
    toSay = said = '';
    if (line !== '') send({ type: 'prompt', voicePrompt: line, lang: 'en-GB', last: true });
  };

  lines.on('line', hear).once('close', () => socket.close());
  calls.set(sid, socket);
  socket.addEventListener('open', () =>
    send({ type: 'setup', callSid: sid, customParameters: { token } }),
  );
  socket.addEventListener('message', ({ data }) => {
    const frame = JSON.parse(data);
    if (frame.type === 'text') toSay += frame.last ? `${frame.token} ` : frame.token;
    else if (frame.type === 'sendDigits') console.log(`-- presses ${frame.digits}`);
    else if (frame.type === 'end') handoff = frame.handoffData;
  });
  return new Promise((resolve) => {
    socket.addEventListener('close', ({ code, reason }) => {
      clearInterval(speaking);
      lines.off('line', hear);
      if (code !== 1000 && code !== 1005)
        console.log(`-- the socket was closed: ${code} ${reason}`);
      resolve(handoff);
    });
  });
}

/** The REST API of the carrier, as far as calls that go out need it. */
async function serve(request, response) {
  const form = carrier.formOf(await text(request));
  const sid = /Calls\/([^/?]+?)(\.json)?$/.exec(request.url)?.[1] ?? carrier.newSid();
  const answer = carrier.answer(sid, calls.has(sid) ? 'in-progress' : 'completed', form);
  response.writeHead(form.To ? 201 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(answer));
  if (form.Status === 'completed') calls.get(sid)?.close();
  if (!form.To) return;
  console.log(`-- ${form.From} calls ${form.To}: Enter picks up`);
  await post(form.StatusCallback, { CallSid: sid, CallStatus: 'ringing' });
  await nextLine();
  await follow(await post(form.Url, { CallSid: sid, CallStatus: 'in-progress' }), sid);
}

async function ring() {
  const call = { CallSid: carrier.newSid(), From: options.from, To: options.number };
  const ringing = { ...call, Direction: 'inbound', CallStatus: 'ringing' };
  await follow(await post(PARLEY + carrier.voice, ringing), call.CallSid);
}

if (options.telnyx) console.log(`-- its public key is ${telnyx.publicKey()}`);

const tell = (error) => console.log(`-- ${error.message}`);

if (options.number === undefined) {
  createServer((request, response) => void serve(request, response).catch(tell)).listen(
    4795,
    'localhost',
  );
  console.log('-- waits at http://localhost:4795');
} else {
  await ring().catch(tell);
  process.exit();
}
