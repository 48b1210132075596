/** Combines the DTMF keys that a caller presses one after the other into a single input. */
import { clearTimeout, setTimeout } from '../../clock.ts';

export type DtmfAggregator = {
  press: (digit: string) => void;
  /** Discards the collected keys. */
  stop: () => void;
};

/** Maximum pause in ms between two keys of the same input. */
const PAUSE_MS = 2_000;
/**
 * Maximum number of keys in one input; further keys are dropped. Callers do not enter longer numbers, but a key that is
 * held down sends ten digits a second.
 */
const DIGITS_MAX = 32;

/**
 * Creates the aggregator. It calls `told` with the collected keys after a pause, or immediately when the user presses
 * `#`. Keys beyond `DIGITS_MAX` are dropped.
 */
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
