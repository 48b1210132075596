import { isDeepStrictEqual } from 'node:util';
import type { Beside } from '../../kinds/project-kind.ts';
import { lockCount } from '../../platform/declare/quota.sql.ts';
import {
  findTaken,
  NUMBER_TAKEN,
  readNumbers,
  replaceNumbers,
  type TakenNumber,
} from './telephony-numbers.sql.ts';
import type { DeclaredNumber } from './telephony-provider.ts';

/**
 * Returns the functions that check and write a provider's numbers in the transaction that activates its declaration.
 * Within a namespace, a number belongs to at most one provider.
 */
export function boundNumbers(
  provider: { id: string; namespace: string },
  declared: readonly DeclaredNumber[] = [],
): Beside {
  // The numbers are sorted like the result of `readNumbers`, because `isWritten` compares the two lists.
  const numbers = declared.toSorted((a, b) => (a.number < b.number ? -1 : 1));
  return {
    lock: (db) => lockCount(db, 'telephony_numbers', provider.namespace),
    refusal: async (db) => {
      const names = numbers.map(({ number }) => number);
      const taken = await findTaken(db, provider, names);
      return taken && { reason: NUMBER_TAKEN, message: numberTaken(taken) };
    },
    isWritten: async (db) => isDeepStrictEqual(await readNumbers(db, provider.id), numbers),
    write: (db) => replaceNumbers(db, provider, numbers),
  };
}

/** Returns the error message for a number that belongs to another provider. */
export function numberTaken({ number, by }: TakenNumber): string {
  return `${number} already belongs to TelephonyProvider "${by}": remove the number from one of them`;
}
