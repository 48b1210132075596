import { ok } from '../../packages/client/src/client.ts';
import type { Scope } from '../../src/platform/http/authorize.ts';
import type { Opened } from './dashboard.ts';

/**
 * Where on the screen each operation is done that changes something: the one thing that the route table
 * does not say. What must be live there, and for whom, test/dashboard/scopes.browser.test.ts derives from
 * the table, so a new route needs one row here, and is red without it.
 */
export type Place = {
  page: (scene: Scene) => string;
  /** The name of the button, box or choice that begins it. */
  control: string | RegExp;
  /** It stands for this one scope instead of the route's: what the route `alsoNeeds`. */
  scope?: Scope;
};

/** Why there is nothing on the screen to do it with. */
export type NoScreen = `no screen: ${string}`;

/** Things in all the states that have a button of their own. */
export type Scene = Record<
  | 'agentId'
  | 'rollingId'
  | 'abortedId'
  | 'conversationId'
  | 'waitingId'
  | 'takenId'
  | 'textId'
  | 'fileId'
  | 'websiteId'
  | 'feedId'
  | 'openGapId'
  | 'answeredGapId'
  | 'endpointId'
  | 'replayedId'
  | 'eventId'
  | 'deliveryId'
  | 'callId'
  | 'providerId',
  string
>;

const agent = ({ agentId }: Scene) => `/agents/${agentId}`;
const versions = ({ agentId }: Scene) => `/agents/${agentId}/versions`;
const rolling = ({ rollingId }: Scene) => `/agents/${rollingId}/versions`;
const aborted = ({ abortedId }: Scene) => `/agents/${abortedId}/versions`;
const playground = ({ agentId }: Scene) => `/agents/${agentId}/playground`;
const endpoint = ({ endpointId }: Scene) => `/webhooks/${endpointId}`;
const replayed = ({ replayedId }: Scene) => `/webhooks/${replayedId}`;
const delivery = ({ deliveryId }: Scene) => `/webhooks/deliveries/${deliveryId}`;
const waiting = ({ waitingId }: Scene) => `/escalations/${waitingId}`;
const taken = ({ takenId }: Scene) => `/escalations/${takenId}`;
const text = ({ textId }: Scene) => `/knowledge/sources/${textId}`;
const file = ({ fileId }: Scene) => `/knowledge/sources/${fileId}`;
const website = ({ websiteId }: Scene) => `/knowledge/sources/${websiteId}`;
const feed = ({ feedId }: Scene) => `/knowledge/sources/${feedId}`;
const openGap = ({ openGapId }: Scene) => `/knowledge/gaps/${openGapId}`;
const answered = ({ answeredGapId }: Scene) => `/knowledge/gaps/${answeredGapId}`;
const provider = ({ providerId }: Scene) => `/settings/providers/${providerId}`;
const call = ({ callId }: Scene) => `/calls/${callId}`;
const at = (path: string) => () => path;

/** By operationId. */
export const PLACES: Readonly<Record<string, readonly Place[] | NoScreen>> = {
  createAgent: [
    { page: at('/agents/new'), control: /^Create agent/ },
    { page: at('/agents/new'), control: /^Automatic/, scope: 'publish' },
  ],
  updateAgent: [
    { page: agent, control: 'Change' },
    { page: (scene) => `${agent(scene)}?edit=1`, control: /^Automatic/, scope: 'publish' },
  ],
  deleteAgent: [{ page: agent, control: 'Delete this agent…' }],
  publishAgent: [{ page: versions, control: 'Publish 3' }],
  advanceRollout: [{ page: rolling, control: 'Next step' }],
  holdRollout: [{ page: rolling, control: 'Hold' }],
  abortRollout: [{ page: rolling, control: 'Abort…' }],
  recallVersions: [{ page: aborted, control: 'Recall version 2…' }],
  resumeRollout: 'no screen: its button takes the place of Hold',
  rollBackAgent: [
    { page: versions, control: 'Roll back to 1' },
    { page: agent, control: 'Roll back…' },
  ],

  createWebhook: [{ page: at('/webhooks/new'), control: 'Add endpoint' }],
  updateWebhook: [
    { page: endpoint, control: 'Edit' },
    { page: endpoint, control: 'Disable' },
  ],
  deleteWebhook: [{ page: endpoint, control: 'Delete' }],
  testWebhook: [{ page: endpoint, control: 'Send a test event' }],
  rotateWebhookSecret: [{ page: endpoint, control: 'Rotate the secret' }],
  replayWebhook: [{ page: endpoint, control: 'Replay since…' }],
  reconcileWebhook: 'no screen: it takes the ids that a receiver holds, which a program has',
  replayEvent: [
    { page: ({ eventId }) => `/webhooks/events/${eventId}`, control: /^Send it again/ },
  ],
  retryDelivery: [{ page: delivery, control: 'Retry now' }],
  stopJob: [
    { page: at('/settings/jobs'), control: 'Stop' },
    { page: replayed, control: 'Stop' },
  ],

  startConversation: [{ page: playground, control: 'Message' }],
  sendMessage: [{ page: playground, control: 'Message' }],
  deleteConversation: [
    { page: ({ conversationId }) => `/conversations/${conversationId}`, control: 'Erase' },
  ],
  deleteCustomer: [{ page: at('/customers/Ana%20Sol'), control: 'Erase everything' }],
  updateConversation: 'no screen: metadata is for the program that began the conversation',
  endConversation: [
    { page: waiting, control: 'End the conversation…' },
    { page: taken, control: 'End the conversation…' },
  ],
  escalateConversation:
    'no screen: who gives one back takes it back by the Undo of the same button',
  createFeedbackLink: 'no screen: programs send it to their users, after the end',
  rateConversation: 'no screen: users rate, through the program they talk with',
  createChatCompletion: 'no screen: for programs that speak to OpenAI; people have the playground',

  acceptEscalation: [{ page: waiting, control: 'Accept' }],
  declineEscalation: [{ page: waiting, control: 'Decline' }],
  completeEscalation: [{ page: taken, control: 'Give back to the agent' }],
  releaseEscalation: [{ page: taken, control: 'Pass to somebody else…' }],
  createCannedReply: [{ page: taken, control: 'Canned replies' }],
  updateCannedReply: [{ page: taken, control: 'Canned replies' }],
  deleteCannedReply: [{ page: taken, control: 'Canned replies' }],
  createEscalationNote: [{ page: taken, control: 'Add note' }],
  deleteEscalationNote: [{ page: taken, control: 'Delete note' }],
  reviewEscalation: 'no screen: opening a missed escalation says that somebody has looked at it',
  keepEscalation: 'no screen: the tab says by itself that whoever accepted here is there',
  sendHumanMessage: [{ page: taken, control: 'Reply as Ana' }],

  createCall: 'no screen: calls are placed by programs and telephone systems',
  endCall: [{ page: call, control: 'Hang up' }],
  transferCall: 'no screen: programs give calls away, and agents by their escalation',
  pressKeys: 'no screen: of programs that find their way through menus',
  answerTwilioCall: 'no screen: a carrier calls it',
  noteTwilioStatus: 'no screen: likewise',
  answerTelnyxCall: 'no screen: likewise',
  noteTelnyxStatus: 'no screen: likewise',
  answerPlivoCall: 'no screen: likewise',
  notePlivoStatus: 'no screen: likewise',

  createApiKey: [{ page: at('/settings'), control: 'Create key' }],
  rotateApiKey: [{ page: at('/settings'), control: 'Rotate of the scene' }],
  deleteApiKey: [{ page: at('/settings'), control: 'Delete of the scene' }],
  createTalkToken: 'no screen: programs ask for it, for their visitors',
  speak: 'no screen: it is beside the voice in the form of an agent, which opens only with `write`',
  callTool: 'no screen: it is in the details and in the dialog of a tool, both closed at first',
  createWidgetToken: 'no screen: pages of others ask for it',
  createSession: 'no screen: of somebody who is signed in; the page of sign-in takes no scope',
  deleteSession: [
    { page: at('/settings/usage'), control: 'Sign out' },
    { page: at('/settings/sessions'), control: 'End Ana’s session', scope: 'keys' },
  ],

  createModelProvider: [{ page: at('/settings/providers/new'), control: 'Connect' }],
  updateModelProvider: [
    { page: provider, control: 'Edit' },
    { page: provider, control: 'Replace key' },
  ],
  deleteModelProvider: [{ page: provider, control: 'Delete…' }],
  testNewModelProvider: [{ page: at('/settings/providers/new'), control: 'Test' }],
  testModelProvider: [{ page: provider, control: 'Test' }],
  createTelephonyProvider: [{ page: at('/settings/telephony'), control: 'Connect a carrier' }],
  updateTelephonyProvider: [{ page: at('/settings/telephony'), control: 'Edit' }],
  deleteTelephonyProvider: [{ page: at('/settings/telephony'), control: 'Delete' }],

  createKnowledgeSource: [
    { page: at('/knowledge'), control: 'Add a text' },
    { page: at('/knowledge'), control: 'Add a website' },
    { page: at('/knowledge'), control: 'Add an integration' },
    { page: at('/knowledge'), control: 'Upload a file' },
  ],
  updateKnowledgeSource: [
    { page: text, control: 'Edit the text' },
    { page: website, control: 'Edit sync settings' },
  ],
  deleteKnowledgeSource: [{ page: text, control: 'Delete…' }],
  syncKnowledgeSource: [
    { page: text, control: 'Index again' },
    { page: feed, control: 'Sync now' },
  ],
  cancelKnowledgeSync: [{ page: website, control: 'Stop sync' }],
  uploadKnowledgeContent: [{ page: file, control: 'Upload a file' }],
  resolveKnowledgeGap: [{ page: openGap, control: 'Close without an answer…' }],
  updateKnowledgeGap: [{ page: answered, control: 'Change the answer' }],
  withdrawKnowledgeGapAnswer: [{ page: answered, control: 'Withdraw the answer' }],
};

/** Live for everybody: it shows, copies or saves what was read, fills in a form, or is one's own. */
export const HARMLESS: readonly RegExp[] = [
  /^(Ana|system|light|dark|Sign out|Export|JSON|Text|WebVTT, for media players|Hide|Ask again)$/,
  /^(Copy|Show|Alerts: |Add a (rule|header|tool|fallback)$|Edit as JSON: |Cancel$)/,
  /^[a-z]+_/, // An id, which is copied.
];

/** Its receiver refuses everything from then on, so what is sent waits for the next attempt. */
export async function setScene(opened: Opened): Promise<Scene> {
  const { parley, receiver } = opened;
  receiver.answer((_, response) => void response.writeHead(500).end());
  const [agents, webhooks, replayed, talks, knowledge] = await Promise.all([
    agentWithVersions(opened),
    failingEndpoint(opened),
    replayedEndpoint(opened),
    escalations(opened),
    knowledgeOf(opened),
  ]);
  const callBody = {
    agent_id: agents.agentId,
    to: '+34600111222',
    simulated: { turns: Array.from({ length: 5 }, () => ({ after_ms: 60_000, text: 'hm' })) },
  };
  const { id: callId } = await ok(parley.POST('/v1/calls', { body: callBody }));
  await ok(parley.POST('/v1/api_keys', { body: { name: 'of the scene', scopes: ['read'] } }));
  const { id: providerId } = await ok(
    parley.POST('/v1/model_providers', { body: { base_url: 'http://127.0.0.1:1/v1' } }),
  );
  const carrier = { type: 'twilio', account_id: 'AC1', auth_token: 'token' } as const;
  await ok(parley.POST('/v1/telephony_providers', { body: carrier }));
  return { ...agents, ...webhooks, ...replayed, ...talks, ...knowledge, callId, providerId };
}

/** Three versions, of which the second is live: one to publish, one to go back to. */
async function agentWithVersions(opened: Opened) {
  const { parley } = opened;
  const made = await ok(
    parley.POST('/v1/agents', { body: { prompt: 'One.', publish_policy: 'manual' } }),
  );
  const params = { path: { id: made.id } };
  await untilVersion(opened, made.id, 1);
  for (const [at, prompt] of ['Two.', 'Three.'].entries()) {
    await ok(parley.PATCH('/v1/agents/{id}', { params, body: { prompt } }));
    await untilVersion(opened, made.id, at + 2);
  }
  for (const version of [1, 2]) {
    await ok(parley.POST('/v1/agents/{id}/publish', { params, body: { version } }));
  }
  const abortedId = await agentWithRollout(opened);
  const abort = { params: { path: { id: abortedId } } };
  await ok(parley.POST('/v1/agents/{id}/rollout/abort', abort));
  return { agentId: made.id, rollingId: await agentWithRollout(opened), abortedId };
}

async function agentWithRollout(opened: Opened): Promise<string> {
  const { parley } = opened;
  const body = {
    prompt: 'One.',
    publish_policy: 'progressive' as const,
    rollout: {
      steps: [
        { weight: 5, min_conversations: 50 },
        { weight: 50, min_conversations: 50 },
      ],
      checks: [{ metric: 'gap_rate' as const, worse_by: 0.1 }],
    },
  };
  const { id } = await ok(parley.POST('/v1/agents', { body }));
  await untilVersion(opened, id, 1);
  await ok(parley.PATCH('/v1/agents/{id}', { params: { path: { id } }, body: { prompt: 'Two.' } }));
  await untilVersion(opened, id, 2);
  return id;
}

/** On a busy machine a write is answered before it is in force. */
async function untilVersion(
  { parley, server }: Opened,
  id: string,
  version: number,
): Promise<void> {
  await server.engine.eventually(async () => {
    const { data } = await parley.GET('/v1/agents/{id}', { params: { path: { id } } });
    return data?.latest_version === version;
  });
}

async function failingEndpoint({ parley, receiver: { url }, server }: Opened) {
  const { id: endpointId } = await ok(parley.POST('/v1/webhooks', { body: { url } }));
  const params = { path: { id: endpointId } };
  await server.engine.eventually(async () => {
    const { data } = await parley.GET('/v1/webhooks/{id}', { params });
    return data?.ready === true;
  });
  const sent = await ok(parley.POST('/v1/webhooks/{id}/test', { params, body: {} }));
  if (!('delivery_id' in sent)) throw new Error('nothing was sent');
  const id = sent.delivery_id;
  await server.engine.eventually(async () => {
    const found = await ok(parley.GET('/v1/deliveries/{id}', { params: { path: { id } } }));
    return found.status === 'retrying' && found.in_flight_since === null;
  });
  return { endpointId, eventId: sent.event_id, deliveryId: sent.delivery_id };
}

/**
 * Its replay waits for it to be enabled again, however long the pages take to walk: begun while it was
 * enabled, and not done by then. Whether it was is luck, so that is written by hand.
 */
async function replayedEndpoint({ parley, pool, receiver: { url }, server, namespace }: Opened) {
  const { id } = await ok(parley.POST('/v1/webhooks', { body: { url } }));
  const params = { path: { id } };
  const body = { since: Math.floor(Date.now() / 1_000) - 60, mode: 'all' } as const;
  await ok(parley.POST('/v1/webhooks/{id}/replay', { params, body }));
  await ok(parley.PATCH('/v1/webhooks/{id}', { params, body: { enabled: false } }));
  await server.engine.eventually(async () => {
    const { data } = await parley.GET('/v1/webhooks/{id}', { params });
    return data?.status === 'disabled';
  });
  const { rowCount } = await pool.query(
    `update jobs set status = 'running', finished_at = null where namespace = $1`,
    [namespace],
  );
  if (rowCount !== 1) throw new Error(`${rowCount} replays`);
  return { replayedId: id };
}

async function escalations(opened: Opened) {
  const { parley } = opened;
  const { id: agent_id } = await ok(
    parley.POST('/v1/agents', { body: { prompt: 'Help.', escalation: { timeout_sec: 3_600 } } }),
  );
  await untilVersion(opened, agent_id, 1);
  const escalated = async () => {
    const begun = { agent_id, user_id: 'Ana Sol' };
    const { id } = await ok(parley.POST('/v1/conversations', { body: begun }));
    const params = { path: { id } };
    const escalation = await ok(
      parley.POST('/v1/conversations/{id}/escalate', { params, body: {} }),
    );
    return { conversationId: id, id: escalation.id };
  };
  const [one, other] = [await escalated(), await escalated()];
  const params = { path: { id: other.id } };
  const body = { accepted_by: { id: 'Ana', name: 'Ana' } };
  await ok(parley.POST('/v1/escalations/{id}/accept', { params, body }));
  await ok(parley.POST('/v1/escalations/{id}/notes', { params, body: { text: 'Call at six.' } }));
  return { conversationId: one.conversationId, waitingId: one.id, takenId: other.id };
}

async function knowledgeOf({ parley, server }: Opened) {
  const made = (body: { type: 'text' | 'file'; name: string; text?: string }) =>
    ok(parley.POST('/v1/knowledge/sources', { body }));
  const { id: textId } = await made({ type: 'text', name: 'hours', text: 'We open at nine.' });
  const { id: fileId } = await made({ type: 'file', name: 'catalog' });
  const fetched = await sourcesReadFromElsewhere({ parley, server });
  const body = { prompt: 'Help.', knowledge: { source_names: ['hours'] } };
  const { id: agent_id } = await ok(parley.POST('/v1/agents', { body }));
  const { id } = await ok(parley.POST('/v1/conversations', { body: { agent_id } }));
  for (const question of ['How heavy is a tandem bicycle?', 'Who painted the blue door?']) {
    const params = { path: { id } };
    await ok(parley.POST('/v1/conversations/{id}/messages', { params, body: { text: question } }));
  }
  const [openGapId, answeredGapId] = await server.engine.eventually(async () => {
    const { data } = await ok(parley.GET('/v1/knowledge/gaps'));
    return data.length === 2 && (data.map((gap) => gap.id) as [string, string]);
  });
  const given = { params: { path: { id: answeredGapId } }, body: { answer: 'Ten kilograms.' } };
  await ok(parley.POST('/v1/knowledge/gaps/{id}/resolve', given));
  return { textId, fileId, ...fetched, openGapId, answeredGapId };
}

/** A website whose sync goes on, and an integration that is not being read. */
async function sourcesReadFromElsewhere({ parley, server }: Pick<Opened, 'parley' | 'server'>) {
  const url = 'https://example.com/';
  const website = await ok(
    parley.POST('/v1/knowledge/sources', { body: { type: 'website', website: { url } } }),
  );
  const feed = await ok(
    parley.POST('/v1/knowledge/sources', { body: { type: 'integration', integration: { url } } }),
  );
  const syncOf = (id: string) =>
    server.engine.eventually(async () => {
      const source = await ok(
        parley.GET('/v1/knowledge/sources/{id}', { params: { path: { id } } }),
      );
      return source.sync?.id;
    });
  await syncOf(website.id);
  const params = { path: { id: feed.id, sync_id: await syncOf(feed.id) } };
  await ok(parley.POST('/v1/knowledge/sources/{id}/syncs/{sync_id}/cancel', { params }));
  return { websiteId: website.id, feedId: feed.id };
}
