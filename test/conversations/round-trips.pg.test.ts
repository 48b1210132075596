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
    const found = ['begin', 'read_live_contents'];
    expect(await start()).toEqual([found, ['insert_conversations', 'insert_events', 'commit']]);
    const ending = [
      ['begin', 'lock_available_conversations', 'read_end_facts'],
      ['end_conversation', 'insert_events', 'commit'],
    ];
    expect(await end()).toEqual(ending);

    const agent_id = await fixture.newAgent({ first_message: 'Hello.' });
    expect(await start({ agent_id })).toEqual([
      found,
      ['insert_conversations', 'insert_first_turns', 'insert_events', 'commit'],
    ]);
    expect(await end()).toEqual(ending);

    // A certain version, and an end that more than one row depends on, have their own transactions.
    expect(await start({ agent_id, agent_version: 1 })).toEqual([
      ['begin', 'read_version_to_talk'],
      ['insert_conversations', 'insert_first_turns', 'insert_events', 'commit'],
    ]);
    await fixture.call('POST', `/v1/conversations/${id}/escalate`, { json: {} });
    expect((await end()).slice(-2)).toEqual([
      ['begin', 'lock_conversation', 'read_end_facts'],
      ['close_escalations', 'end_conversation', 'insert_events', 'commit'],
    ]);
  } finally {
    await fixture.stop();
  }
});
