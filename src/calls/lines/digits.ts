/** The keys of a telephone, gathered into what the user says with them. */
import { clearTimeout, setTimeout } from '../../clock.ts';

export type Digits = {
  press: (digit: string) => void;
  /** Forgets what was gathered. */
  stop: () => void;
};

/** Who types a number does not pause longer between two keys. */
const PAUSE_MS = 2_000;
/** Longer than any number that is typed; a held key sends ten a second. */
const DIGITS_MAX = 32;

/** Told after a pause, at `#`, or when it is as long as it may be; what comes beyond that at once is dropped. */
export function createDigits(told: (digits: string) => void): Digits {
  let gathered = '';
  let timer: NodeJS.Timeout | undefined;
  const tell = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const digits = gathered;
    gathered = '';
    if (digits !== '') told(digits);
  };
  return {
    press: (digit) => {
      if (!/^[0-9*#A-D]$/.test(digit)) return;
      if (digit === '#' && gathered !== '') return tell();
      if (gathered.length < DIGITS_MAX) gathered += digit;
      clearTimeout(timer);
      timer = setTimeout(tell, PAUSE_MS);
    },
    stop: () => {
      clearTimeout(timer);
      gathered = '';
    },
  };
}
