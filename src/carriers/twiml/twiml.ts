import type { AnswerWriter, DialOptions, RelayOptions, StreamOptions } from '../carrier.ts';
import { spokenLanguage } from '../spoken-language.ts';
import { element, escape, responseOf } from '../xml.ts';

/** Writes TwiML, the XML instructions that tell Twilio and Telnyx how to handle a call. */

/**
 * Creates a writer. `stream` contains additional attributes of `<Stream>` that the carrier needs. `followsStatus` means
 * that the carrier may execute instructions in the response to a status callback. Such a carrier gets an empty
 * response, because it would end the call after a document without instructions.
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

/** Returns the instruction to open a text socket, for a carrier that recognizes and synthesizes speech itself. */
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
    // Tells the carrier to ignore backchannels such as "mhm" while the agent speaks, as Parley itself does.
    ignoreBackchannel: 'true',
    // Without this setting, the carrier drops what the user says during an utterance that cannot be interrupted.
    reportInputDuringAgentSpeech: isGreetingKept ? 'any' : undefined,
    dtmfDetection: 'true',
  };
  const relay = element('ConversationRelay', attributes, parameterOf(token));
  return responseOf(element('Connect', { action }, relay));
}

function parameterOf(token: string): string {
  return element('Parameter', { name: 'token', value: token });
}

/**
 * Returns the instruction to open a socket for audio in both directions. `attributes` contains additional attributes
 * that this carrier needs.
 */
export function streamTwiml(
  { action, token, url }: StreamOptions,
  attributes: Readonly<Record<string, string>> = {},
): string {
  const stream = element('Stream', { url, ...attributes }, parameterOf(token));
  return responseOf(element('Connect', { action }, stream));
}

/** Returns the instruction to ring a number and connect the caller with the person who answers. */
export function dialTwiml({ to, callerId, ringSec, action, answered }: DialOptions): string {
  const told = { statusCallback: answered, statusCallbackEvent: 'answered' };
  const dial = { action, callerId, timeout: String(ringSec) };
  return responseOf(element('Dial', dial, element('Number', told, escape(to))));
}

/** Returns the instructions to speak the text, if there is one, and hang up. */
export function goodbyeTwiml(text?: string, language?: string): string {
  const attributes = { language: language && spokenLanguage(language) };
  const said = text === undefined ? '' : element('Say', attributes, escape(text));
  return responseOf(said + element('Hangup', {}));
}

/** Returns the instruction to reject the call without answering it, so that the caller pays nothing. */
export function rejectTwiml(reason: 'busy' | 'rejected'): string {
  return responseOf(element('Reject', { reason }));
}

/** Response without any instructions. */
export const EMPTY_TWIML = responseOf('');
