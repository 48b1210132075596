// A simulated carrier, so that you can call an agent from the terminal without an account with a real carrier.
//
//   node examples/carrier.mjs --number +442071838750   calls a number of a TelephonyProvider
//   node examples/carrier.mjs                          waits on http://localhost:4795 for outgoing calls
//   … --telnyx                                         simulates Telnyx instead of Twilio
//
// Needs no packages, and Node 22 or newer (or Node 20 with --experimental-websocket). It behaves as Twilio and Telnyx
// do with ConversationRelay: it signs its requests, opens the socket that the response names, and converts speech to
// text and back. Here, you type the caller's speech, and the agent's speech is printed. A line of text is what the
// caller says. A line of digits is keys that the caller presses. A line that you type while the agent is speaking
// interrupts it. Ctrl-D hangs up.

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
    'This version of Node has no WebSocket. Use Node 22 or newer, or node --experimental-websocket',
  );
  process.exit(1);
}
/** Time per spoken word, at about the speed of human speech. */
const WORD_MS = 250;
const lines = createInterface({ input: process.stdin });
/** Sockets of the calls in progress, by call ID. */
const calls = new Map();

/** Twilio signs the URL and the form with HMAC-SHA1, using the auth token as the key. */
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

/**
 * Telnyx signs the time and the form with Ed25519. Here, the key is derived from the auth token. Telnyx sends the ID of
 * an outgoing call only later, not in the response to the request that starts the call.
 */
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

/** Posts a signed form as the carrier does. Returns the TwiML in the response. */
async function post(url, fields) {
  const form = { AccountSid: options.account, ...fields };
  const headers = carrier.sign(url, form);
  const answer = await fetch(url, { method: 'POST', headers, body: new URLSearchParams(form) });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer.text();
}

/** Returns an attribute of the first element with this name. URLs contain no XML entity other than `&amp;`. */
const attribute = (twiml, element, name) =>
  new RegExp(`<${element}[^>]* ${name}="([^"]*)"`).exec(twiml)?.[1].replaceAll('&amp;', '&');

/** Executes the TwiML and the TwiML that follows it, until the call ends. */
async function follow(twiml, sid) {
  let next = twiml;
  while (next !== undefined) next = await (next.includes('<Dial') ? dial : relay)(next, sid);
  console.log('-- the call has ended');
}

/** Holds a conversation. Returns the TwiML that continues the call, or undefined if the call has ended. */
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

/** Dials another number for the call. Returns the TwiML that continues the call, or undefined if the call has ended. */
async function dial(twiml, sid) {
  const [, to] = /<Number[^>]*>([^<]*)/.exec(twiml);
  console.log(`-- ringing ${to}: press Enter to pick up, or type a word and Enter for no answer`);
  const action = attribute(twiml, 'Dial', 'action');
  const over = (DialCallStatus, CallStatus) =>
    post(action, { CallSid: sid, CallStatus, DialCallStatus });
  if ((await nextLine()) !== '') return over('no-answer', 'in-progress');
  const theirs = { CallSid: newSid(), ParentCallSid: sid, CallStatus: 'in-progress' };
  await post(attribute(twiml, 'Number', 'statusCallback'), theirs);
  console.log('-- connected: press Enter to hang up');
  await nextLine();
  await over('completed', 'completed');
  return undefined;
}

/** Returns the next typed line, or `-` at the end of the input. */
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
    else if (frame.type === 'sendDigits') console.log(`-- the agent presses ${frame.digits}`);
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

/** Serves the part of the carrier's REST API that outgoing calls need. */
async function serve(request, response) {
  const form = carrier.formOf(await text(request));
  const sid = /Calls\/([^/?]+?)(\.json)?$/.exec(request.url)?.[1] ?? carrier.newSid();
  const answer = carrier.answer(sid, calls.has(sid) ? 'in-progress' : 'completed', form);
  response.writeHead(form.To ? 201 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(answer));
  if (form.Status === 'completed') calls.get(sid)?.close();
  if (!form.To) return;
  console.log(`-- ${form.From} is calling ${form.To}: press Enter to pick up`);
  await post(form.StatusCallback, { CallSid: sid, CallStatus: 'ringing' });
  await nextLine();
  await follow(await post(form.Url, { CallSid: sid, CallStatus: 'in-progress' }), sid);
}

async function ring() {
  const call = { CallSid: carrier.newSid(), From: options.from, To: options.number };
  const ringing = { ...call, Direction: 'inbound', CallStatus: 'ringing' };
  await follow(await post(PARLEY + carrier.voice, ringing), call.CallSid);
}

if (options.telnyx) console.log(`-- the carrier's public key is ${telnyx.publicKey()}`);

const tell = (error) => console.log(`-- ${error.message}`);

if (options.number === undefined) {
  createServer((request, response) => void serve(request, response).catch(tell)).listen(
    4795,
    'localhost',
  );
  console.log('-- waiting for calls at http://localhost:4795');
} else {
  await ring().catch(tell);
  process.exit();
}
