/** All strings of the widget in one language. */

export type Words = {
  /** Language tag for the attribute `lang`. */
  lang: string;
  dir: 'ltr' | 'rtl';
  /** Shown instead of the name of an agent that has no display name. */
  agent: string;
  open: (name: string) => string;
  close: string;
  welcome: (name: string) => string;
  message: string;
  send: string;
  speak: string;
  speakAnew: string;
  mute: string;
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
  /** Text that is shown while a phone call or another program interrupts the audio. */
  halted: string;
  resumeSound: string;
  /** Shown while the user waits for a human agent. */
  escalated: string;
  /** Shown once a human agent has accepted. */
  answering: string;
  ended: string;
  anew: string;
  interrupted: string;
  unsure: string;
  sayAgain: string;
  again: string;
  newTab: string;
  /** Messages by the code of a `TalkError`. */
  errors: Record<string, string>;
  otherError: string;
};

const EN: Words = {
  lang: 'en',
  dir: 'ltr',
  agent: 'Assistant',
  open: (name) => `Talk with ${name}`,
  close: 'Close',
  welcome: (name) => `Ask ${name} anything.`,
  message: 'Message',
  send: 'Send',
  speak: 'Speak',
  speakAnew: 'Speak instead (starts a new conversation)',
  mute: 'Mute',
  hangUp: 'Hang up',
  you: 'You',
  colleague: 'Team member',
  said: 'Conversation',
  connecting: 'Connecting …',
  waiting: 'The connection was lost. Trying again …',
  asking: 'Your browser is asking for permission to use the microphone.',
  listening: 'Listening. Say something.',
  muted: 'The microphone is muted.',
  speaking: 'Speaking. You can interrupt.',
  microphoneOn: 'Microphone on',
  halted: 'Your device has paused the sound. It will continue as soon as possible.',
  resumeSound: 'Continue',
  escalated: 'Waiting for a team member to join.',
  answering: 'A team member has joined.',
  ended: 'The conversation has ended.',
  anew: 'New conversation',
  interrupted: 'interrupted',
  unsure: 'This message may not have been sent.',
  sayAgain: 'Send again',
  again: 'Try again',
  newTab: 'opens in a new tab',
  errors: {
    origin_not_allowed: 'This assistant is not allowed on this page.',
    too_many_in_flight: 'Too many people are using the assistant. Try again in a minute.',
    rate_limited: 'Too many people are using the assistant. Try again in a minute.',
    offline: 'There is no connection. Check your network, then try again.',
    unavailable: 'The assistant cannot be reached at the moment. Try again in a minute.',
    microphone_refused:
      'Your browser is blocking the microphone. Allow it next to the address bar, or write instead.',
    microphone_missing: 'No microphone was found. You can write instead.',
    microphone_busy: 'Another program is using the microphone. Close it, or write instead.',
    loudspeaker_missing: 'No loudspeaker was found. You can write instead.',
    voice_impossible: 'Speaking does not work on this page. You can write instead.',
  },
  otherError: 'Something went wrong. Try again.',
};

/** URLs of the files in `languages`, by language tag in lower case: `fr`, `zh-tw`. */
export type WordFiles = Readonly<Record<string, string>>;

/**
 * Loads the strings of a language. English is built in. It is the fallback for languages without a file, and for files
 * that cannot be loaded.
 *
 * @param language tag as in the attribute `lang`: `de`, `de-AT`
 */
export async function loadWords(language: string, files: WordFiles): Promise<Words> {
  const url = fileOf(language, files);
  if (url === undefined) return EN;
  try {
    const loaded = (await import(/* @vite-ignore */ url)) as { words: Words };
    return loaded.words;
  } catch {
    return EN;
  }
}

/** Returns the file for a language tag or for the closest more general tag, or undefined if there is none. */
export function fileOf(language: string, files: WordFiles): string | undefined {
  const parts = language.trim().toLowerCase().split(/[-_]/);
  // These tags mean traditional characters, whereas `zh` alone means simplified characters.
  if (parts[0] === 'zh' && /^(?:hant|tw|hk|mo)$/.test(parts[1] ?? '')) parts[1] = 'tw';
  for (let length = parts.length; length > 0; length -= 1) {
    const name = parts.slice(0, length).join('-');
    if (Object.hasOwn(files, name)) return files[name];
  }
  return undefined;
}
