import { z } from 'zod';
import { callbackRoute } from '../../platform/http/keyless/callback-route.ts';
import type { Answer, Route } from '../../platform/http/route.ts';
import { toUuid } from '../../ids.ts';
import { answerVoice } from './answer-voice.ts';
import type { SentOfCall, VoiceDeps } from './voice-deps.ts';
import { noteStatus } from './note-status.ts';
import type { Dialect } from '../../carriers/dialect.ts';
import { DIALECTS } from '../../carriers/dialects.ts';

const tag = 'Telephony';
const XML = 'text/xml; charset=utf-8';
const twiml = { 'text/xml': z.string() };

/** What carriers call that speak Twilio's dialect (contract §4, telephony). */
export function carrierRoutes(deps: VoiceDeps): Route[] {
  return Object.values(DIALECTS).flatMap((dialect) => [
    voiceRoute(deps, dialect),
    statusRoute(deps, dialect),
  ]);
}

/** Of each: the word of its operations, and its proof. */
const NAMES: Readonly<Record<Dialect['type'], { noun: string; proof: string }>> = {
  twilio: { noun: 'Twilio', proof: 'X-Twilio-Signature' },
  telnyx: { noun: 'Telnyx', proof: 'telnyx-signature-ed25519' },
};

function voiceRoute(deps: VoiceDeps, dialect: Dialect): Route {
  const { noun, proof } = NAMES[dialect.type];
  return callbackRoute({
    method: 'post',
    path: dialect.paths.voice,
    operationId: `answer${noun}Call`,
    tag,
    summary: `Answer a call of ${noun}`,
    description:
      `Called by the carrier, whose \`${proof}\` is its proof: a call comes in, one of ours is answered, ` +
      'or a socket is over. Answers TwiML.',
    answers: { 200: { description: 'What to do with the call.', forms: twiml } },
    errors: ['invalid_signature', 'rate_limited'],
    handle: async (sent) =>
      answerOf(await answerVoice(deps, { dialect, ...sent, ...namedIn(sent.query) })),
  });
}

function statusRoute(deps: VoiceDeps, dialect: Dialect): Route {
  const { noun } = NAMES[dialect.type];
  return callbackRoute({
    method: 'post',
    path: dialect.paths.status,
    operationId: `note${noun}Status`,
    tag,
    summary: `Take a status callback of ${noun}`,
    description:
      'Called by the carrier, likewise signed. Statuses may come late, twice and in any order; of calls that ' +
      'nobody knows they are taken and do nothing.',
    answers: { 200: { description: 'Nothing more to do.', forms: twiml } },
    errors: ['invalid_signature', 'rate_limited'],
    handle: async (sent) =>
      answerOf(await noteStatus(deps, { dialect, ...sent, ...namedIn(sent.query) })),
  });
}

/** What its address names: the uuids of a call and of a provider, and which of its sockets, or transfers, is meant. */
function namedIn(
  query: URLSearchParams,
): Pick<SentOfCall, 'callId' | 'providerId' | 'stream' | 'after' | 'transfer'> {
  return {
    callId: toUuid('call', query.get('call') ?? '') ?? undefined,
    providerId: query.has('provider') ? providerIn(query) : undefined,
    stream: numberIn(query, 'stream'),
    after: numberIn(query, 'after') ?? 0,
    transfer: numberIn(query, 'transfer'),
  };
}

function numberIn(query: URLSearchParams, name: string): number | undefined {
  const number = Number(query.get(name) ?? 0);
  return Number.isInteger(number) && number > 0 ? number : undefined;
}

/** One that is none finds none. */
function providerIn(query: URLSearchParams): string {
  return toUuid('tp', query.get('provider') ?? '') ?? 'none';
}

function answerOf(xml: string): Answer {
  return { status: 200, mediaType: XML, text: whole(xml) };
}

async function* whole(text: string): AsyncGenerator<string> {
  yield text;
}
