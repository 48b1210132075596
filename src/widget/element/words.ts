/** All that the widget itself says, in the languages it has. */

export type Words = {
  /** Of an agent without a name. */
  agent: string;
  open: (name: string) => string;
  close: string;
  welcome: (name: string) => string;
  message: string;
  send: string;
  speak: string;
  speakAnew: string;
  mute: string;
  unmute: string;
  hangUp: string;
  you: string;
  colleague: string;
  said: string;
  connecting: string;
  waiting: string;
  asking: string;
  listening: string;
  muted: string;
  speaking: string;
  microphoneOn: string;
  escalated: string;
  ended: string;
  anew: string;
  interrupted: string;
  unsure: string;
  sayAgain: string;
  again: string;
  newTab: string;
  /** By the code of a TalkError. */
  errors: Record<string, string>;
  otherError: string;
};

const EN: Words = {
  agent: 'Assistant',
  open: (name) => `Talk with ${name}`,
  close: 'Close',
  welcome: (name) => `Ask ${name} anything.`,
  message: 'Message',
  send: 'Send',
  speak: 'Speak',
  speakAnew: 'Speak instead: begins a new talk',
  mute: 'Mute',
  unmute: 'Unmute',
  hangUp: 'Hang up',
  you: 'You',
  colleague: 'A colleague',
  said: 'What was said',
  connecting: 'Connecting …',
  waiting: 'The connection broke. Trying again …',
  asking: 'The browser asks whether the microphone may be used.',
  listening: 'Listening: say something.',
  muted: 'The microphone is muted.',
  speaking: 'Speaking. You may interrupt.',
  microphoneOn: 'Microphone on',
  escalated: 'A colleague answers here.',
  ended: 'The talk has ended.',
  anew: 'New talk',
  interrupted: 'interrupted',
  unsure: 'Perhaps it was not sent.',
  sayAgain: 'Send again',
  again: 'Try again',
  newTab: 'opens in a new tab',
  errors: {
    origin_not_allowed: 'This page may not show this assistant.',
    too_many_in_flight: 'Too many people talk at the moment. Try again in a minute.',
    rate_limited: 'Too many people talk at the moment. Try again in a minute.',
    offline: 'There is no connection. Look at your network, then try again.',
    unavailable: 'The assistant cannot be reached at the moment. Try again in a minute.',
    microphone_refused:
      'The browser keeps the microphone from this page. Allow it beside the address, or write.',
    microphone_missing: 'No microphone was found. You can write.',
    microphone_busy: 'Another program uses the microphone. Close it, or write.',
    loudspeaker_missing: 'No loudspeaker was found. You can write.',
    voice_impossible: 'Speaking does not work on this page. You can write.',
  },
  otherError: 'Something went wrong. Try again.',
};

const DE: Words = {
  agent: 'Assistent',
  open: (name) => `Mit ${name} sprechen`,
  close: 'Schließen',
  welcome: (name) => `Fragen Sie ${name}, was Sie möchten.`,
  message: 'Nachricht',
  send: 'Senden',
  speak: 'Sprechen',
  speakAnew: 'Stattdessen sprechen: beginnt ein neues Gespräch',
  mute: 'Stumm',
  unmute: 'Ton an',
  hangUp: 'Auflegen',
  you: 'Sie',
  colleague: 'Eine Kollegin oder ein Kollege',
  said: 'Was gesagt wurde',
  connecting: 'Verbindung wird hergestellt …',
  waiting: 'Die Verbindung ist abgebrochen. Neuer Versuch …',
  asking: 'Der Browser fragt, ob das Mikrofon benutzt werden darf.',
  listening: 'Hört zu: sagen Sie etwas.',
  muted: 'Das Mikrofon ist stumm.',
  speaking: 'Spricht. Sie können unterbrechen.',
  microphoneOn: 'Mikrofon an',
  escalated: 'Hier antwortet ein Mensch aus dem Team.',
  ended: 'Das Gespräch ist beendet.',
  anew: 'Neues Gespräch',
  interrupted: 'unterbrochen',
  unsure: 'Vielleicht wurde das nicht gesendet.',
  sayAgain: 'Noch einmal senden',
  again: 'Noch einmal versuchen',
  newTab: 'öffnet einen neuen Tab',
  errors: {
    origin_not_allowed: 'Diese Seite darf diesen Assistenten nicht zeigen.',
    too_many_in_flight: 'Gerade sprechen zu viele. Versuchen Sie es in einer Minute noch einmal.',
    rate_limited: 'Gerade sprechen zu viele. Versuchen Sie es in einer Minute noch einmal.',
    offline: 'Es gibt keine Verbindung. Prüfen Sie Ihr Netz und versuchen Sie es noch einmal.',
    unavailable:
      'Der Assistent ist gerade nicht zu erreichen. Versuchen Sie es später noch einmal.',
    microphone_refused:
      'Der Browser gibt dieser Seite das Mikrofon nicht. Erlauben Sie es neben der Adresse, oder schreiben Sie.',
    microphone_missing: 'Es wurde kein Mikrofon gefunden. Sie können schreiben.',
    microphone_busy:
      'Ein anderes Programm benutzt das Mikrofon. Beenden Sie es, oder schreiben Sie.',
    loudspeaker_missing: 'Es wurde kein Lautsprecher gefunden. Sie können schreiben.',
    voice_impossible: 'Sprechen geht auf dieser Seite nicht. Sie können schreiben.',
  },
  otherError: 'Etwas ist schiefgegangen. Versuchen Sie es noch einmal.',
};

/** @param language as in `lang`: `de`, `de-AT`; any other is English */
export const wordsOf = (language: string): Words => (/^de\b/i.test(language) ? DE : EN);
