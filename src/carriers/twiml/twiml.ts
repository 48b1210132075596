import type { AnswerWriter, DialOptions, RelayOptions, StreamOptions } from '../carrier.ts';
import { spokenLanguage } from '../spoken-language.ts';
import { element, escape, responseOf } from '../xml.ts';

/** TwiML: a carrier's instructions for a call, as XML. */

/**
 * Creates a writer of TwiML. `stream` has the carrier's own attributes of `<Stream>`. `followsStatus` is set if the
 * carrier may execute the answer to a status callback; an empty document would then end the call.
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

/** Attributes of `<ConversationRelay>` that name a voice. */
export type RelayVoice = { voice?: string | undefined; ttsProvider?: string | undefined };

/** Opens a socket for text, for a carrier that transcribes and speaks. */
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
    // Ignores "mhm" while the agent speaks, as lines with our own recognizers do.
    ignoreBackchannel: 'true',
    // Otherwise the carrier drops words that the user speaks during an utterance that ignores interruptions.
    reportInputDuringAgentSpeech: isGreetingKept ? 'any' : undefined,
    dtmfDetection: 'true',
  };
  const relay = element('ConversationRelay', attributes, parameterOf(token));
  return responseOf(element('Connect', { action }, relay));
}

function parameterOf(token: string): string {
  return element('Parameter', { name: 'token', value: token });
}

/** Opens a socket for sound in both directions. `attributes` are the carrier's own. */
export function streamTwiml(
  { action, token, url }: StreamOptions,
  attributes: Readonly<Record<string, string>> = {},
): string {
  const stream = element('Stream', { url, ...attributes }, parameterOf(token));
  return responseOf(element('Connect', { action }, stream));
}

/** Rings a number, and connects the caller with the person at that number. */
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

/** Rejects the call without answering, so that the caller pays nothing. */
export function rejectTwiml(reason: 'busy' | 'rejected'): string {
  return responseOf(element('Reject', { reason }));
}

/** An answer without instructions. */
export const EMPTY_TWIML = responseOf('');
