import type { Words } from '../words.ts';

export const words: Words = {
  lang: 'de',
  dir: 'ltr',
  agent: 'Assistent',
  open: (name) => `Mit ${name} sprechen`,
  close: 'Schließen',
  welcome: (name) => `Fragen Sie ${name}, was Sie möchten.`,
  message: 'Nachricht',
  send: 'Senden',
  speak: 'Sprechen',
  speakAnew: 'Stattdessen sprechen (beginnt ein neues Gespräch)',
  mute: 'Stummschalten',
  hangUp: 'Auflegen',
  you: 'Sie',
  colleague: 'Teammitglied',
  said: 'Gespräch',
  connecting: 'Verbindung wird hergestellt …',
  waiting: 'Die Verbindung ist abgebrochen. Neuer Versuch …',
  asking: 'Der Browser fragt, ob das Mikrofon benutzt werden darf.',
  listening: 'Der Assistent hört zu. Sie können sprechen.',
  muted: 'Das Mikrofon ist stummgeschaltet.',
  speaking: 'Der Assistent spricht. Sie können ihn unterbrechen.',
  microphoneOn: 'Mikrofon an',
  halted: 'Ihr Gerät hat den Ton unterbrochen. Er läuft weiter, sobald das möglich ist.',
  resumeSound: 'Weiter',
  escalated: 'Bitte warten Sie. Jemand aus dem Team wird Ihnen hier antworten.',
  answering: 'Jemand aus dem Team antwortet Ihnen hier.',
  ended: 'Das Gespräch ist beendet.',
  anew: 'Neues Gespräch',
  interrupted: 'unterbrochen',
  unsure: 'Diese Nachricht wurde möglicherweise nicht gesendet.',
  sayAgain: 'Noch einmal senden',
  again: 'Noch einmal versuchen',
  newTab: 'wird in einem neuen Tab geöffnet',
  errors: {
    origin_not_allowed: 'Diese Seite darf diesen Assistenten nicht anzeigen.',
    too_many_in_flight:
      'Zurzeit laufen zu viele Gespräche. Versuchen Sie es in einer Minute noch einmal.',
    rate_limited:
      'Zurzeit laufen zu viele Gespräche. Versuchen Sie es in einer Minute noch einmal.',
    offline:
      'Es besteht keine Verbindung. Prüfen Sie Ihr Netzwerk und versuchen Sie es noch einmal.',
    unavailable:
      'Der Assistent ist zurzeit nicht erreichbar. Versuchen Sie es in einer Minute noch einmal.',
    microphone_refused:
      'Der Browser blockiert das Mikrofon. Erlauben Sie es in der Adressleiste oder schreiben Sie stattdessen.',
    microphone_missing: 'Es wurde kein Mikrofon gefunden. Sie können stattdessen schreiben.',
    microphone_busy:
      'Ein anderes Programm benutzt das Mikrofon. Beenden Sie es oder schreiben Sie stattdessen.',
    loudspeaker_missing: 'Es wurde kein Lautsprecher gefunden. Sie können stattdessen schreiben.',
    voice_impossible:
      'Sprechen ist auf dieser Seite nicht möglich. Sie können stattdessen schreiben.',
  },
  otherError: 'Etwas ist schiefgegangen. Versuchen Sie es noch einmal.',
};
