import { parseArgs } from 'node:util';
import { createBounds, type Bounds } from '../bounds.ts';
import { benchCalls } from './calls.ts';
import { benchDatabase } from './database.ts';
import { benchKeys } from './keys.ts';
import { benchKubernetes } from './kubernetes.ts';
import { benchOperators } from './operators.ts';
import { benchStandby } from './standby.ts';
import { benchStart } from './start.ts';

/**
 * How long Parley needs until it serves again after a fault, beside the bounds that are promised
 * (docs/performance.md), on this machine and in one run. Exits with 1 if a bound is missed.
 *
 *   npm run bench -- recovery                        about two minutes
 *   npm run bench -- recovery --only=keys,calls      parts
 */

const PARTS: Record<string, (bounds: Bounds) => Promise<void>> = {
  keys: benchKeys,
  operators: benchOperators,
  calls: benchCalls,
  database: benchDatabase,
  standby: benchStandby,
  start: benchStart,
  kubernetes: benchKubernetes,
};

const { values } = parseArgs({
  options: { only: { type: 'string', default: Object.keys(PARTS).join(',') } },
});
const asked = values.only.split(',');
const unknown = asked.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0)
  throw new Error(`--only=${Object.keys(PARTS).join(',')}; there is no ${unknown.join()}`);

const bounds = createBounds();
for (const name of asked) await PARTS[name]!(bounds);
bounds.finish();
