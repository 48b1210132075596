/** Text that grows by pieces up to a maximum length. */
export type GrowingText = {
  /** Adds as much of a piece as fits, and returns the part that was added. */
  add: (piece: string) => string;
  clear: () => void;
  readonly text: string;
  readonly length: number;
};

/**
 * Number of pieces to collect before they are joined. A string built with `+` keeps its pieces in memory, at 32 bytes
 * each, so an answer that arrives in single characters would occupy 16 times its size.
 */
const PIECES_MAX = 1_000;

export function createGrowingText(charsMax: number): GrowingText {
  let whole = '';
  let pieces: string[] = [];
  let length = 0;
  const join = (): string => {
    if (pieces.length > 0) whole += pieces.join('');
    pieces = [];
    return whole;
  };
  return {
    add: (piece) => {
      const added = piece.slice(0, charsMax - length);
      if (added === '') return '';
      length += added.length;
      if (pieces.push(added) === PIECES_MAX) join();
      return added;
    },
    clear: () => {
      whole = '';
      pieces = [];
      length = 0;
    },
    get text() {
      return join();
    },
    get length() {
      return length;
    },
  };
}
