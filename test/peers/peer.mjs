/** What the scripts in JavaScript share: where Parley is, lines of a result, the transcript. */
import assert from 'node:assert/strict';

export const { PARLEY_URL: url, PARLEY_KEY: key, PARLEY_AGENT: agent } = process.env;
/** An agent whose model calls a tool, one whose model cannot be asked, a key that may only read. */
export const {
  PARLEY_CLERK: clerk,
  PARLEY_BROKEN: broken,
  PARLEY_READER_KEY: readerKey,
} = process.env;
export const baseURL = `${url}/v1`;

/** A line each: `ok NAME`, or `not ok NAME: REASON`. */
export async function check(name, work) {
  try {
    await work();
    console.log(`ok ${name}`);
  } catch (error) {
    console.log(`not ok ${name}: ${String(error?.stack ?? error).replaceAll('\n', ' | ')}`);
  }
}

const get = async (path) => {
  const response = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
  return response.json();
};

/** All that was said with this user is one conversation, and these are its turns. */
export async function expectOneConversation(user, turns) {
  const { data } = await get(`/v1/conversations?user_id=${user}`);
  assert.equal(data.length, 1, `${data.length} conversations of ${user}`);
  const transcript = await get(`/v1/conversations/${data[0].id}/transcript`);
  assert.deepEqual(
    transcript.turns.map(({ role, text }) => [role, text]),
    turns,
  );
}

/** What the clerk is asked, what it says, and the turns that this leaves. */
export const ERRANDS = ['Where is T-1002?', 'And T-1003?', 'Thank you!'];
export const REPORTS = [
  'Let me look. \n\nIt is on its way.',
  'Let me look. \n\nIt is on its way.',
  'You are welcome.',
];

/** The three errands are one conversation, and the tool was called in it, here. */
export async function expectErrands(user, replies) {
  assert.deepEqual(replies, REPORTS);
  const { data } = await get(`/v1/conversations?user_id=${user}`);
  assert.equal(data.length, 1, `${data.length} conversations of ${user}`);
  const { turns } = await get(`/v1/conversations/${data[0].id}/transcript`);
  const steps = turns.map(({ role, tool_call }) => tool_call?.arguments.order ?? role);
  const looked = (order) => ['user', order, 'agent'];
  assert.deepEqual(steps, [...looked('T-1002'), ...looked('T-1003'), 'user', 'agent']);
}

export const QUESTIONS = [
  'When do you deliver?',
  'And how can I return something?',
  'When is the shop open?',
];
