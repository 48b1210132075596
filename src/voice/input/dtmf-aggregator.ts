/** Collects the pressed keys of a telephone into one input of the user. */
import { clearTimeout, setTimeout } from '../../clock.ts';

export type DtmfAggregator = {
  press: (digit: string) => void;
  /** Discards the collected keys. */
  stop: () => void;
};

/** Longest pause between two keys of one number. */
const PAUSE_MS = 2_000;
/** Longer than any number that people type. A held key sends ten a second. */
const DIGITS_MAX = 32;

/** Passes the collected keys on after a pause, or immediately at `#`. Drops keys beyond `DIGITS_MAX` until then. */
export function createDtmfAggregator(told: (digits: string) => void): DtmfAggregator {
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
