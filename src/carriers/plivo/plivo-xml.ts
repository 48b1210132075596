import type { AnswerWriter } from '../carrier.ts';
import { spokenLanguage } from '../spoken-language.ts';
import { element, escape, responseOf } from '../xml.ts';
import { withoutPlus } from './callback.ts';
import { TOKEN_HEADER, toHeaderValue } from './extra-headers.ts';

const POST = { method: 'POST' };

/**
 * Writes Plivo's XML. It differs from TwiML: the URL is the text of `<Stream>`, and the next element is executed when
 * the stream has ended.
 */
export const PLIVO_ANSWERS: AnswerWriter = {
  stream: ({ action, token, url }) => {
    const attributes = {
      bidirectional: 'true',
      audioTrack: 'inbound',
      // Without this attribute, Plivo executes the next element as soon as the stream begins.
      keepCallAlive: 'true',
      contentType: 'audio/x-mulaw;rate=8000',
      extraHeaders: `${TOKEN_HEADER}=${toHeaderValue(token)}`,
    };
    const next = element('Redirect', POST, escape(action));
    return responseOf(element('Stream', attributes, escape(url)) + next);
  },
  dial: ({ action, answered, callerId, ringSec, to }) => {
    const attributes = {
      action,
      ...POST,
      callerId: withoutPlus(callerId),
      timeout: String(ringSec),
      callbackUrl: answered,
      callbackMethod: 'POST',
    };
    return responseOf(element('Dial', attributes, element('Number', {}, withoutPlus(to))));
  },
  goodbye: (text, language) => {
    const attributes = { language: language && spokenLanguage(language) };
    const said = text === undefined ? '' : element('Speak', attributes, escape(text));
    return responseOf(said + element('Hangup', {}));
  },
  reject: (reason) => responseOf(element('Hangup', { reason })),
  nothing: responseOf(''),
  noted: responseOf(''),
};
