import { z } from 'zod';
import { callbackRoute } from '../../platform/http/keyless/callback-route.ts';
import type { Answer, Route } from '../../platform/http/route.ts';
import { toUuid } from '../../ids.ts';
import { answerVoice } from './answer-voice.ts';
import type { SentOfCall, VoiceDeps } from './voice-deps.ts';
import { noteStatus } from './note-status.ts';
import { pathsOf, type Carrier } from '../../carriers/carrier.ts';
import { CARRIERS } from '../../carriers/carriers.ts';

const tag = 'Telephony';
const XML = 'text/xml; charset=utf-8';
const xml = { 'text/xml': z.string() };

/** Returns the webhooks that carriers call (contract, Telephony). */
export function carrierRoutes(deps: VoiceDeps): Route[] {
  return CARRIERS.flatMap((carrier) => [voiceRoute(deps, carrier), statusRoute(deps, carrier)]);
}

function voiceRoute(deps: VoiceDeps, carrier: Carrier): Route {
  const { name, signature, type } = carrier;
  return callbackRoute({
    method: 'post',
    path: pathsOf(type).voice,
    operationId: `answer${name}Call`,
    tag,
    summary: `Answer a call from ${name}`,
    description:
      'The carrier sends this request when a call comes in, when a placed call is answered, ' +
      'and when a socket has closed. ' +
      `\`${signature.header}\` authenticates the sender. The response is XML that the carrier executes, such as TwiML.`,
    answers: {
      200: { description: "Instructions for the call, in the carrier's XML.", forms: xml },
    },
    errors: ['invalid_signature', 'rate_limited'],
    handle: async (raw) => {
      const request = requestOf(carrier, raw);
      const answer = isEndOfCall(request) ? noteStatus : answerVoice;
      return answerOf(await answer(deps, request));
    },
  });
}

function statusRoute(deps: VoiceDeps, carrier: Carrier): Route {
  const { name, type } = carrier;
  return callbackRoute({
    method: 'post',
    path: pathsOf(type).status,
    operationId: `note${name}Status`,
    tag,
    summary: `Receive a status callback from ${name}`,
    description:
      'The carrier reports the status of a call, with the same signature. Reports may arrive late, ' +
      'more than once and in any order. Reports about unknown calls are accepted and ignored.',
    answers: { 200: { description: 'The status was received.', forms: xml } },
    errors: ['invalid_signature', 'rate_limited'],
    handle: async (raw) => answerOf(await noteStatus(deps, requestOf(carrier, raw))),
  });
}

/**
 * Returns whether a request to the voice webhook reports the end of a call. Carriers send these reports to the voice
 * webhook if no status webhook is configured.
 */
function isEndOfCall({ callId, callback: { state } }: SentOfCall): boolean {
  return callId === undefined && state !== undefined && state !== 'live';
}

type Raw = Pick<SentOfCall, 'form' | 'body' | 'target' | 'headers' | 'client'> & {
  query: URLSearchParams;
};

function requestOf(carrier: Carrier, raw: Raw): SentOfCall {
  return { carrier, callback: carrier.readCallback(raw.form), ...raw, ...namedIn(raw.query) };
}

/** Reads the parameters of the URL: the UUIDs of a call and of a provider, and the number of a socket or a transfer. */
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

/** Returns the UUID of the provider. For text that is not an ID, returns a UUID that no provider has. */
function providerIn(query: URLSearchParams): string {
  return toUuid('tp', query.get('provider') ?? '') ?? '00000000-0000-0000-0000-000000000000';
}

function answerOf(text: string): Answer {
  return { status: 200, mediaType: XML, text: whole(text) };
}

async function* whole(text: string): AsyncGenerator<string> {
  yield text;
}
