import { expect, test } from 'vitest';
import { recordStatements, type Statements } from '../roles/statements.ts';
import { startConversationFixture } from './conversation-setup.ts';

/**
 * The statements of a conversation's start and end, by round trip. A process of its own, because the sessions must open
 * after the recording has begun.
 */

async function tripsOf(statements: Statements, act: () => Promise<unknown>): Promise<string[][]> {
  await statements.settled();
  statements.takeRoundTrips();
  await act();
  return statements.takeRoundTrips();
}

test('a conversation starts and ends in two round trips each', async () => {
  const statements = recordStatements();
  const fixture = await startConversationFixture();
  try {
    let id = '';
    const start = (fields = {}) =>
      tripsOf(statements, async () => (id = await fixture.start(fields)));
    const end = () => tripsOf(statements, () => fixture.end(id));
    expect(await start()).toEqual([
      ['begin', 'read_live_content'],
      ['insert_conversation', 'insert_events', 'commit'],
    ]);
    const ending = [
      ['begin', 'lock_conversation', 'end_live_turn', 'read_end_facts'],
      ['close_escalations', 'end_conversation', 'insert_events', 'commit'],
    ];
    expect(await end()).toEqual(ending);

    const agent_id = await fixture.newAgent({ first_message: 'Hello.' });
    expect(await start({ agent_id })).toEqual([
      ['begin', 'read_live_content'],
      ['insert_conversation', 'insert_first_turn', 'insert_events', 'commit'],
    ]);
    expect(await end()).toEqual(ending);
  } finally {
    await fixture.stop();
  }
});
