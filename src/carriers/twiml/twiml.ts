import type { AnswerWriter, DialOptions, RelayOptions, StreamOptions } from '../carrier.ts';
import { spokenLanguage } from '../spoken-language.ts';
import { element, escape, responseOf } from '../xml.ts';

/** TwiML: what a carrier is told to do with a call, as XML. */

/**
 * Writes answers as TwiML. `stream`: the carrier's own attributes of `<Stream>`. `followsStatus`: the carrier may execute the
 * answer to a status callback, so that an empty document would end the call.
 */
export function twimlAnswers({
  stream = {},
  followsStatus = false,
}: {
  stream?: Readonly<Record<string, string>>;
  followsStatus?: boolean;
}): AnswerWriter {
  return {
    stream: (options) => streamTwiml(options, stream),
    dial: dialTwiml,
    goodbye: goodbyeTwiml,
    reject: rejectTwiml,
    nothing: EMPTY_TWIML,
    noted: followsStatus ? '' : EMPTY_TWIML,
  };
}

/** How a voice is named in `<ConversationRelay>`. */
export type RelayVoice = { voice?: string | undefined; ttsProvider?: string | undefined };

/** Speech is turned into text and back by the carrier; we speak text over a socket. */
export function relayTwiml(
  { action, language, token, url, isGreetingKept = false }: Omit<RelayOptions, 'voice'>,
  { voice, ttsProvider }: RelayVoice = {},
): string {
  const attributes = {
    url,
    language: language && spokenLanguage(language),
    voice,
    ttsProvider,
    interruptible: 'any',
    // "Mhm" while the agent speaks is nothing, as for a call that we hear ourselves.
    ignoreBackchannel: 'true',
    // Otherwise the carrier drops words that the user speaks into an utterance that nobody can interrupt.
    reportInputDuringAgentSpeech: isGreetingKept ? 'any' : undefined,
    dtmfDetection: 'true',
  };
  const relay = element('ConversationRelay', attributes, parameterOf(token));
  return responseOf(element('Connect', { action }, relay));
}

function parameterOf(token: string): string {
  return element('Parameter', { name: 'token', value: token });
}

/** Speech goes over a socket as sound, both ways. `attributes`: the carrier's own. */
export function streamTwiml(
  { action, token, url }: StreamOptions,
  attributes: Readonly<Record<string, string>> = {},
): string {
  const stream = element('Stream', { url, ...attributes }, parameterOf(token));
  return responseOf(element('Connect', { action }, stream));
}

/** Rings a number, and connects the caller with whoever picks up. */
export function dialTwiml({ to, callerId, ringSec, action, answered }: DialOptions): string {
  const told = { statusCallback: answered, statusCallbackEvent: 'answered' };
  const dial = { action, callerId, timeout: String(ringSec) };
  return responseOf(element('Dial', dial, element('Number', told, escape(to))));
}

/** Says something, then hangs up. */
export function goodbyeTwiml(text?: string, language?: string): string {
  const attributes = { language: language && spokenLanguage(language) };
  const said = text === undefined ? '' : element('Say', attributes, escape(text));
  return responseOf(said + element('Hangup', {}));
}

/** Not answered at all, so that the caller pays nothing. */
export function rejectTwiml(reason: 'busy' | 'rejected'): string {
  return responseOf(element('Reject', { reason }));
}

/** Nothing more to do. */
export const EMPTY_TWIML = responseOf('');
