import { z } from 'zod';
import { callbackRoute } from '../../../platform/http/keyless/callback-route.ts';
import type { Answer, Route } from '../../../platform/http/route.ts';
import { toUuid } from '../../../ids.ts';
import { answerVoice, type SentOfCall, type VoiceDeps } from './answer-voice.ts';
import { noteStatus } from './note-status.ts';
import { STATUS_PATH, VOICE_PATH } from './paths.ts';

const tag = 'Telephony';
const XML = 'text/xml; charset=utf-8';
const twiml = { 'text/xml': z.string() };

/** What a carrier that speaks Twilio's dialect calls (contract §4, telephony). */
export function twilioRoutes(deps: VoiceDeps): Route[] {
  return [
    callbackRoute({
      method: 'post',
      path: VOICE_PATH,
      operationId: 'answerTwilioCall',
      tag,
      summary: 'Answer a call',
      description:
        'Called by the carrier, whose `X-Twilio-Signature` is its proof: a call comes in, one of ours is answered, ' +
        'or a socket is over. Answers TwiML.',
      answers: { 200: { description: 'What to do with the call.', forms: twiml } },
      errors: ['invalid_signature', 'rate_limited'],
      handle: async (sent) =>
        answerOf(await answerVoice(deps, { ...sent, ...namedIn(sent.query) })),
    }),
    callbackRoute({
      method: 'post',
      path: STATUS_PATH,
      operationId: 'noteTwilioStatus',
      tag,
      summary: 'Take a status callback',
      description:
        'Called by the carrier, likewise signed. Statuses may come late, twice and in any order; of calls that ' +
        'nobody knows they are taken and do nothing.',
      answers: { 200: { description: 'Nothing more to do.', forms: twiml } },
      errors: ['invalid_signature', 'rate_limited'],
      handle: async (sent) => answerOf(await noteStatus(deps, { ...sent, ...namedIn(sent.query) })),
    }),
  ];
}

/** What its address names: the uuid of a call, and which of its streams, or transfers, is meant. */
function namedIn(
  query: URLSearchParams,
): Pick<SentOfCall, 'callId' | 'stream' | 'after' | 'transfer'> {
  return {
    callId: toUuid('call', query.get('call') ?? '') ?? undefined,
    stream: numberIn(query, 'stream'),
    after: numberIn(query, 'after') ?? 0,
    transfer: numberIn(query, 'transfer'),
  };
}

function numberIn(query: URLSearchParams, name: string): number | undefined {
  const number = Number(query.get(name) ?? 0);
  return Number.isInteger(number) && number > 0 ? number : undefined;
}

function answerOf(xml: string): Answer {
  return { status: 200, mediaType: XML, text: whole(xml) };
}

async function* whole(text: string): AsyncGenerator<string> {
  yield text;
}
