import { spokenLanguage } from './spoken-language.ts';

/** TwiML: what a carrier is told to do with a call, as XML. */

export type RelayOptions = {
  /** `wss://…` */
  url: string;
  /** Asked for what to do when the socket is over. */
  action: string;
  language: string | undefined;
  voice?: string | undefined;
  ttsProvider?: string | undefined;
  /** Something of it is said that nobody interrupts. */
  isGreetingKept?: boolean;
  /** What the other side is handed in its first frame. */
  parameters: Record<string, string>;
};

/** Speech is turned into text and back by the carrier; we speak text over a socket. */
export function relayTwiml({
  action,
  parameters,
  url,
  language,
  voice,
  ttsProvider,
  isGreetingKept = false,
}: RelayOptions): string {
  const attributes = {
    url,
    language: language && spokenLanguage(language),
    voice,
    ttsProvider,
    interruptible: 'any',
    // "Mhm" while the agent speaks is nothing, as for a call that we hear ourselves.
    ignoreBackchannel: 'true',
    // What is said into what nobody interrupts is told only then.
    reportInputDuringAgentSpeech: isGreetingKept ? 'any' : undefined,
    dtmfDetection: 'true',
  };
  const inside = parametersOf(parameters);
  return document(element('Connect', { action }, element('ConversationRelay', attributes, inside)));
}

function parametersOf(parameters: Record<string, string>): string {
  const all = Object.entries(parameters);
  return all.map(([name, value]) => element('Parameter', { name, value })).join('');
}

/** Speech goes over a socket as sound, both ways. */
export function streamTwiml({
  action,
  attributes,
  parameters,
  url,
}: Pick<RelayOptions, 'url' | 'action' | 'parameters'> & {
  /** Of the carrier's own. */
  attributes?: Readonly<Record<string, string>>;
}): string {
  const stream = element('Stream', { url, ...attributes }, parametersOf(parameters));
  return document(element('Connect', { action }, stream));
}

export type DialOptions = {
  to: string;
  /** The number that is shown: one of ours. */
  callerId: string;
  ringSec: number;
  /** Asked for what to do when it is over, or nobody picked up. */
  action: string;
  /** Told when somebody picks up. */
  answered: string;
};

/** Rings a number, and connects the caller with whoever picks up. */
export function dialTwiml({ to, callerId, ringSec, action, answered }: DialOptions): string {
  const told = { statusCallback: answered, statusCallbackEvent: 'answered' };
  const dial = { action, callerId, timeout: String(ringSec) };
  return document(element('Dial', dial, element('Number', told, escape(to))));
}

/** Says something, then hangs up. */
export function goodbyeTwiml(text: string | undefined, language?: string): string {
  const attributes = { language: language && spokenLanguage(language) };
  const said = text === undefined ? '' : element('Say', attributes, escape(text));
  return document(said + element('Hangup', {}));
}

/** Not answered at all, so that the caller pays nothing. */
export function rejectTwiml(reason: 'busy' | 'rejected'): string {
  return document(element('Reject', { reason }));
}

/** Nothing more to do. */
export const EMPTY_TWIML = document('');

function document(inside: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('Response', {}, inside)}\n`;
}

function element(
  name: string,
  attributes: Record<string, string | undefined>,
  inside = '',
): string {
  const given = Object.entries(attributes).flatMap(([attribute, value]) =>
    value === undefined ? [] : [` ${attribute}="${escape(value)}"`],
  );
  return inside === ''
    ? `<${name}${given.join('')}/>`
    : `<${name}${given.join('')}>${inside}</${name}>`;
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** What XML 1.0 has no way to say is left out: control characters. */
function escape(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
