import { isDeepStrictEqual } from 'node:util';
import type { ObjectKey } from '../../../src/platform/resources/resource-store.ts';
import { conditionsOf, type ReportedCondition } from '../../agents/agents.ts';
import type { Engine } from '../../roles/engine.ts';

/** Resolves with the object's condition of that type once it is as expected. */
export function awaitConditionIn(
  engine: Engine,
  object: ObjectKey & { kind: string },
  expected: Partial<ReportedCondition> & { type: string },
): Promise<ReportedCondition> {
  const read = async () => conditionsOf(await engine.store.get(object.kind, object));
  return engine.eventually(async () => {
    const found = (await read())[expected.type];
    return found && isDeepStrictEqual({ ...found, ...expected }, found) && found;
  }, read);
}
