import {
  AGENT,
  SOURCE,
  CALLBACK,
  ENDPOINT,
  idIn,
  agent,
  agentId,
  changedAgent,
  rollingAgent,
  recall,
  endpoint,
  sent,
  event,
  job,
  conversation,
  customer,
  erasure,
  endedConversation,
  escalation,
  acceptedEscalation,
  call,
  PROVIDER,
  modelProvider,
  CARRIER,
  telephonyProvider,
  source,
  fileSource,
  sync,
  gap,
  passage,
  resolvedGap,
  apiKey,
  credential,
  session,
  ACCEPT,
  KEY,
  hourAgo,
  minuteAgo,
  at,
  below,
  note,
  CANNED,
  cannedReply,
  type RouteFixture,
} from './route-scene.ts';

/**
 * Describes how to request an existing resource through a route. The route table contains everything else, and
 * test/roles/api/route-matrix.pg.test.ts reads it from there. Each new route needs one row here. Without the row, the
 * test fails.
 */
export type Row = {
  /** Creates a resource only for this row, and returns its path. */
  path: (fixture: RouteFixture) => string | Promise<string>;
  /** A valid body. */
  json?: Record<string, unknown> | ((fixture: RouteFixture) => Promise<Record<string, unknown>>);
  /** A body that is not JSON. */
  raw?: { body: string; type: string };
  /** Status of the response to a request with all scopes. */
  status: number;
  /** Set if the response never ends. In that case, only its beginning is read. */
  isStream?: true;
};

/** Rows by operationId. */
export const ROWS: Record<string, Row> = {
  listAgents: { path: at('/v1/agents'), status: 200 },
  createAgent: {
    path: at('/v1/agents'),
    json: { ...AGENT, publish_policy: 'manual' },
    status: 201,
  },
  getAgent: { path: agent, status: 200 },
  getStats: { path: at('/v1/stats'), status: 200 },
  getAnalytics: { path: at('/v1/analytics'), status: 200 },
  getAgentStats: { path: below(agent, '/stats'), status: 200 },
  updateAgent: { path: agent, json: { display_name: 'Shop' }, status: 200 },
  deleteAgent: { path: agent, status: 204 },
  publishAgent: { path: below(agent, '/publish'), json: {}, status: 200 },
  rollBackAgent: { path: below(changedAgent, '/rollback'), json: {}, status: 200 },
  listAgentVersions: { path: below(agent, '/versions'), status: 200 },
  getAgentVersion: { path: below(agent, '/versions/1'), status: 200 },
  diffAgentVersions: { path: below(changedAgent, '/versions/1/diff/2'), status: 200 },
  listActivations: { path: below(agent, '/activations'), status: 200 },
  recallVersions: {
    path: below(changedAgent, '/recalls'),
    json: { versions: [1] },
    status: 201,
  },
  listRecalls: { path: below(agent, '/recalls'), status: 200 },
  getRecall: { path: recall, status: 200 },
  listRecalledConversations: { path: below(recall, '/conversations'), status: 200 },
  listRecalledUsers: { path: below(recall, '/users'), status: 200 },
  listRecalledToolCalls: { path: below(recall, '/tool_calls'), status: 200 },
  getRollout: { path: below(rollingAgent, '/rollout'), status: 200 },
  listRollouts: { path: below(agent, '/rollouts'), status: 200 },
  advanceRollout: { path: below(rollingAgent, '/rollout/advance'), json: {}, status: 200 },
  holdRollout: { path: below(rollingAgent, '/rollout/hold'), json: {}, status: 200 },
  resumeRollout: { path: below(rollingAgent, '/rollout/resume'), json: {}, status: 200 },
  abortRollout: { path: below(rollingAgent, '/rollout/abort'), json: {}, status: 200 },

  listWebhooks: { path: at('/v1/webhooks'), status: 200 },
  createWebhook: { path: at('/v1/webhooks'), json: ENDPOINT, status: 201 },
  getWebhook: { path: endpoint, status: 200 },
  updateWebhook: { path: endpoint, json: { description: 'Shop' }, status: 200 },
  deleteWebhook: { path: endpoint, status: 204 },
  testWebhook: { path: below(endpoint, '/test'), json: {}, status: 202 },
  rotateWebhookSecret: { path: below(endpoint, '/rotate_secret'), json: {}, status: 200 },
  listWebhookDeliveries: { path: below(endpoint, '/deliveries'), status: 200 },
  replayWebhook: {
    path: below(endpoint, '/replay'),
    json: async () => ({ since: minuteAgo() }),
    status: 202,
  },

  digestWebhook: { path: below(endpoint, `/digest?hour=${hourAgo()}`), status: 200 },
  reconcileWebhook: {
    path: below(endpoint, '/reconcile'),
    json: async () => ({ since: minuteAgo(), ids: [] }),
    status: 200,
  },

  listEvents: { path: at('/v1/events'), status: 200 },
  getEvent: { path: event, status: 200 },
  explainDelivery: {
    path: async (fixture) => {
      const endpointPath = await endpoint(fixture);
      const { body } = await fixture.call('POST', `${endpointPath}/test`);
      return `/v1/events/${body.event_id}/explanation?endpoint_id=${idIn(endpointPath)}`;
    },
    status: 200,
  },
  listEventDeliveries: { path: below(event, '/deliveries'), status: 200 },
  replayEvent: { path: below(event, '/replay'), json: {}, status: 202 },
  streamEvents: { path: at('/v1/events/stream'), status: 200, isStream: true },
  listDeliveries: { path: at('/v1/deliveries'), status: 200 },
  getDeliveryStats: { path: at('/v1/deliveries/stats'), status: 200 },
  getDelivery: {
    path: async (fixture) => `/v1/deliveries/${(await sent(fixture)).delivery_id}`,
    status: 200,
  },
  retryDelivery: {
    path: async (fixture) => `/v1/deliveries/${(await sent(fixture)).delivery_id}/retry`,
    status: 202,
  },
  listJobs: { path: at('/v1/jobs'), status: 200 },
  getJob: { path: job, status: 200 },
  stopJob: { path: job, status: 204 },

  listConversations: { path: at('/v1/conversations'), status: 200 },
  startConversation: {
    path: at('/v1/conversations'),
    json: async (fixture) => ({ agent_id: await agentId(fixture) }),
    status: 201,
  },
  getConversation: { path: conversation, status: 200 },
  deleteConversation: { path: endedConversation, status: 204 },
  sendMessage: { path: below(conversation, '/messages'), json: { text: 'Hello' }, status: 200 },
  updateConversation: { path: conversation, json: { metadata: { crm: '1' } }, status: 200 },
  endConversation: { path: below(conversation, '/end'), json: {}, status: 200 },
  escalateConversation: { path: below(conversation, '/escalate'), json: {}, status: 201 },
  createFeedbackLink: { path: below(endedConversation, '/feedback_link'), json: {}, status: 200 },
  rateConversation: { path: below(endedConversation, '/feedback'), json: { csat: 5 }, status: 200 },
  getTranscript: { path: below(conversation, '/transcript'), status: 200 },
  followConversation: { path: below(conversation, '/events'), status: 200, isStream: true },

  createChatCompletion: {
    path: at('/v1/chat/completions'),
    json: async (fixture) => ({
      model: await agentId(fixture),
      messages: [{ role: 'user', content: 'Hello' }],
    }),
    status: 200,
  },
  listModels: { path: at('/v1/models'), status: 200 },
  getModel: {
    path: async (fixture) => `/v1/models/${await agentId(fixture)}`,
    status: 200,
  },

  listEscalations: { path: at('/v1/escalations'), status: 200 },
  getEscalation: { path: escalation, status: 200 },
  acceptEscalation: { path: below(escalation, '/accept'), json: ACCEPT, status: 200 },
  declineEscalation: { path: below(escalation, '/decline'), status: 200 },
  completeEscalation: { path: below(acceptedEscalation, '/complete'), status: 200 },
  releaseEscalation: {
    path: below(acceptedEscalation, '/release'),
    json: { team: 'lawyers' },
    status: 200,
  },
  keepEscalation: { path: below(acceptedEscalation, '/heartbeat'), json: {}, status: 200 },
  reviewEscalation: { path: below(escalation, '/review'), status: 200 },
  sendHumanMessage: {
    path: below(acceptedEscalation, '/messages'),
    json: { text: 'Ada here.' },
    status: 200,
  },

  listEscalationNotes: { path: below(escalation, '/notes'), status: 200 },
  createEscalationNote: {
    path: below(escalation, '/notes'),
    json: { text: 'Call back at six.' },
    status: 201,
  },
  deleteEscalationNote: { path: note, status: 204 },
  getCustomer: { path: customer, status: 200 },
  listCustomerActivity: { path: below(customer, '/activity'), status: 200 },
  exportCustomer: { path: below(customer, '/export'), status: 200 },
  deleteCustomer: { path: customer, status: 202 },
  listCustomerErasures: { path: at('/v1/customer_erasures'), status: 200 },
  getCustomerErasure: { path: erasure, status: 200 },

  listCalls: { path: at('/v1/calls'), status: 200 },
  createCall: {
    path: at('/v1/calls'),
    json: async (fixture) => ({ agent_id: await agentId(fixture), to: '+442071838750' }),
    status: 201,
  },
  getCall: { path: call, status: 200 },
  endCall: { path: below(call, '/end'), json: {}, status: 200 },
  // The call has no telephone line. test/calls/phone covers calls with one.
  transferCall: { path: below(call, '/transfer'), json: { to: '+442071838751' }, status: 409 },
  pressKeys: { path: below(call, '/dtmf'), json: { digits: '1' }, status: 409 },
  // The requests have no signature. test/calls/phone covers signed requests.
  answerTwilioCall: { path: at('/v1/telephony/twilio/voice'), raw: CALLBACK, status: 401 },
  noteTwilioStatus: { path: at('/v1/telephony/twilio/status'), raw: CALLBACK, status: 401 },
  answerTelnyxCall: { path: at('/v1/telephony/telnyx/voice'), raw: CALLBACK, status: 401 },
  noteTelnyxStatus: { path: at('/v1/telephony/telnyx/status'), raw: CALLBACK, status: 401 },
  answerPlivoCall: { path: at('/v1/telephony/plivo/voice'), raw: CALLBACK, status: 401 },
  notePlivoStatus: { path: at('/v1/telephony/plivo/status'), raw: CALLBACK, status: 401 },

  createTalkToken: {
    path: async (fixture) => `/v1/agents/${await agentId(fixture)}/talk_tokens`,
    json: {},
    status: 201,
  },
  // Nothing listens on the port. test/voice covers a working speech provider.
  speak: {
    path: async (fixture) => `/v1/agents/${await agentId(fixture)}/speech`,
    json: async (fixture) => {
      const speech = { default_model: 'tts-1', default_voice: 'alloy' };
      const json = { base_url: 'http://127.0.0.1:1/v1', speech };
      const { body } = await fixture.call('POST', '/v1/model_providers', json);
      return { text: 'Hello', voice: { provider: body.name } };
    },
    status: 502,
  },
  callTool: {
    path: async (fixture) => `/v1/agents/${await agentId(fixture)}/tool_calls`,
    // Nothing listens on the port, so the tool fails and the response says so.
    json: { tool: { type: 'webhook', name: 'look_up', url: 'http://127.0.0.1:1/' } },
    status: 200,
  },
  // The request does not come from a page. test/talks covers requests from pages.
  createWidgetToken: {
    path: at('/v1/widget/tokens'),
    json: async (fixture) => ({ agent_id: await agentId(fixture) }),
    status: 403,
  },

  listApiKeys: { path: at('/v1/api_keys'), status: 200 },
  createApiKey: { path: at('/v1/api_keys'), json: KEY, status: 201 },
  getApiKey: { path: apiKey, status: 200 },
  rotateApiKey: { path: below(apiKey, '/rotate'), json: {}, status: 201 },
  deleteApiKey: { path: apiKey, status: 204 },
  listSessions: { path: at('/v1/sessions'), status: 200 },
  createSession: { path: at('/v1/sessions'), json: credential, status: 201 },
  getSession: { path: session, status: 200 },
  deleteSession: { path: session, status: 204 },
  getMe: { path: at('/v1/me'), status: 200 },
  listAuditLog: { path: at('/v1/audit_log'), status: 200 },
  getUsage: { path: at('/v1/usage'), status: 200 },

  listModelProviders: { path: at('/v1/model_providers'), status: 200 },
  createModelProvider: { path: at('/v1/model_providers'), json: PROVIDER, status: 201 },
  getModelProvider: { path: modelProvider, status: 200 },
  updateModelProvider: { path: modelProvider, json: { metadata: { of: 'shop' } }, status: 200 },
  deleteModelProvider: { path: modelProvider, status: 204 },
  testNewModelProvider: { path: at('/v1/model_providers/test'), json: PROVIDER, status: 200 },
  testModelProvider: { path: below(modelProvider, '/test'), status: 200 },
  listTelephonyProviders: { path: at('/v1/telephony_providers'), status: 200 },
  createTelephonyProvider: { path: at('/v1/telephony_providers'), json: CARRIER, status: 201 },
  getTelephonyProvider: { path: telephonyProvider, status: 200 },
  updateTelephonyProvider: {
    path: telephonyProvider,
    json: { metadata: { of: 'shop' } },
    status: 200,
  },
  deleteTelephonyProvider: { path: telephonyProvider, status: 204 },
  listKnowledgeSources: { path: at('/v1/knowledge/sources'), status: 200 },
  createKnowledgeSource: { path: at('/v1/knowledge/sources'), json: SOURCE, status: 201 },
  getKnowledgeSource: { path: source, status: 200 },
  updateKnowledgeSource: { path: source, json: { metadata: { of: 'shop' } }, status: 200 },
  deleteKnowledgeSource: { path: source, status: 204 },
  syncKnowledgeSource: { path: below(source, '/sync'), json: {}, status: 202 },
  uploadKnowledgeContent: {
    path: below(fileSource, '/content'),
    raw: { body: '# Opening hours\n\nWe open at nine.', type: 'text/markdown' },
    status: 202,
  },
  listKnowledgeSyncs: { path: below(source, '/syncs'), status: 200 },
  getKnowledgeSync: { path: sync, status: 200 },
  cancelKnowledgeSync: { path: below(sync, '/cancel'), json: {}, status: 200 },
  listKnowledgeDocuments: { path: below(source, '/documents'), status: 200 },
  searchKnowledge: { path: at('/v1/knowledge/search?q=tandem'), status: 200 },
  getKnowledgeChunk: { path: passage, status: 200 },
  listKnowledgeGaps: { path: at('/v1/knowledge/gaps'), status: 200 },
  getKnowledgeGap: { path: gap, status: 200 },
  checkKnowledgeGap: { path: below(gap, '/check'), status: 200 },
  updateKnowledgeGap: { path: resolvedGap, json: { answer: '21 kg' }, status: 200 },
  withdrawKnowledgeGapAnswer: { path: below(resolvedGap, '/answer'), status: 204 },
  resolveKnowledgeGap: { path: below(gap, '/resolve'), json: { answer: '20 kg' }, status: 200 },

  listCannedReplies: { path: at('/v1/canned_replies'), status: 200 },
  createCannedReply: { path: at('/v1/canned_replies'), json: CANNED, status: 201 },
  getCannedReply: { path: cannedReply, status: 200 },
  updateCannedReply: { path: cannedReply, json: { title: 'Money back' }, status: 200 },
  deleteCannedReply: { path: cannedReply, status: 204 },

  getOpenApi: { path: at('/v1/openapi.json'), status: 200 },
};
