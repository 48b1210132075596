/** What the layout rules of tidy.test.ts allow. docs/architecture.md explains the layout. */

/** Lowest files: names, settings, time and our own files, which everything may import. */
export const ROOT_FILES = ['clock', 'config', 'errors', 'failpoints', 'ids', 'program-file'];

/** Parts of the platform that every other part may use. The first uses none. */
export const GROUND = ['platform/observability', 'platform/controller'];

/** What else each part of the platform may import. A table, not a chain. */
export const PLATFORM: Record<string, readonly string[]> = {
  'platform/observability': [],
  'platform/controller': [],
  'platform/egress': [],
  'platform/postgres': [],
  'platform/resources': ['platform/postgres'],
  'platform/idempotency': ['platform/postgres'],
  'platform/declare': ['platform/idempotency', 'platform/resources', 'platform/postgres'],
  'platform/http': [
    'platform/idempotency',
    'platform/declare',
    'platform/resources',
    'platform/postgres',
  ],
  // The reconciler reports to an object that a quota refuses it.
  'platform/reconcile': ['platform/resources', 'platform/declare'],
  'platform/manifests': ['platform/resources'],
  // Both read `Retry-After`.
  'platform/kubernetes': ['platform/resources', 'platform/egress'],
};

/**
 * The nouns. `below`: the next lower nouns; whatever they may import, this one may import too. `parts`: folders
 * inside the noun, lowest first. Files directly in the noun's folder are above all of its parts, except its `base`:
 * those are below all parts. `hasPlugIns`: every other folder is a part too, and none of them imports another.
 */
export type Noun = {
  below: readonly string[];
  base?: readonly string[];
  parts?: readonly string[];
  hasPlugIns?: true;
};

export const NOUNS: Record<string, Noun> = {
  audit: { below: [] },
  // What all kinds of declared things have. It writes lines of the audit log.
  kinds: { below: ['audit'] },
  access: { below: ['audit'] },
  events: { below: ['audit'] },
  webhooks: {
    below: ['events', 'kinds'],
    parts: ['queue', 'endpoints', 'delivery', 'replay', 'receipts'],
  },
  agents: { below: ['events', 'kinds'] },
  knowledge: {
    // The fetchers do not know each other; `syncs` runs them.
    below: ['agents', 'models'],
    parts: ['passages', 'vectors', 'formats', 'sources', 'website', 'integration', 'syncs', 'gaps'],
  },
  models: { below: ['kinds'] },
  conversations: {
    below: ['knowledge', 'models'],
    parts: [
      'redaction',
      'record',
      'sentences',
      'feedback',
      'judging',
      'escalations',
      'ending',
      'tools',
      'turns',
      'completions',
    ],
  },
  // Figures of conversations.
  analytics: { below: ['conversations'] },
  // A conversation by voice, over any carrier. Only `session` and `playout` know the conversation.
  voice: {
    below: ['conversations'],
    base: ['patience.ts', 'speech-failure.ts', 'speech-providers.ts', 'until-aborted.ts'],
    parts: ['audio', 'vad', 'stt', 'tts', 'input', 'playout', 'session'],
  },
  // A folder for each carrier. They know no call.
  carriers: {
    below: [],
    base: [
      'account-id.ts',
      'ask-carrier.ts',
      'carrier.ts',
      'media.ts',
      'spoken-language.ts',
      'xml.ts',
    ],
    parts: ['twiml'],
    hasPlugIns: true,
  },
  // `acts` stores what is asked of a call; the process that holds its line carries it out.
  calls: {
    below: ['voice', 'carriers'],
    base: ['call.view.ts', 'calls.sql.ts', 'claims.sql.ts', 'settle-call.ts', 'transport.ts'],
    parts: ['providers', 'transports', 'acts', 'lines', 'phone'],
  },
  talks: { below: ['calls'] },
  customers: { below: ['calls'] },
  erasure: { below: ['customers'] },
  // Judges by figures of conversations. `statistics` computes and knows no rows.
  rollouts: { below: ['conversations'], parts: ['statistics'] },
  // Lists the conversations of recalled versions. The recalls themselves are in `agents`.
  recalls: { below: ['conversations'] },
};

/** Rooms that must not know another one although it is lower, with the reason. */
export const APART: [RegExp, RegExp, string][] = [
  [/^(calls\/lines|voice)\//, /^carriers\//, 'a line knows words and sound, and no carrier'],
];

export const ROLES = 'roles';
/** They call what is below. Nothing below imports them. */
export const WAYS_IN = ['commands', 'standalone'];
/** Packages that a noun is built on. */
export const BUILT_ON: Record<string, readonly string[]> = {
  knowledge: ['web-reader/html', 'web-reader/site'],
};
/**
 * Packages beside the server. `below`: the rooms of others that each may import. `parts`: folders inside the package,
 * lowest first.
 */
export const GUESTS: Record<string, { below: readonly string[]; parts?: readonly string[] }> = {
  // Runs in browsers, and speaks to the API only through the client. `app` is the frame of all pages.
  dashboard: {
    below: ['client', 'widget/talk', 'widget/sound', 'widget/text'],
    parts: ['data', 'ui', 'form', 'transcript', 'pages', 'app'],
  },
  // Rings from outside as carriers do, with sound and signatures of the server.
  drill: {
    below: [
      'calls',
      'carriers/base',
      'carriers/twilio',
      'voice/audio',
      'voice/input',
      'voice/playout',
      'voice/vad',
      'platform/egress',
      'clock',
      'errors',
    ],
  },
  // Takes requests, the clock and its limits as parameters, and imports nothing.
  'web-reader': { below: [], parts: ['html', 'site'] },
  // Runs in pages of other sites, with arithmetic of sound of the server.
  widget: { below: ['voice/audio'], parts: ['talk', 'sound', 'text', 'words', 'element'] },
};
/** A package for other programs. It knows the types generated for it, and nothing else. */
export const CLIENT = 'packages/client/src';

/** Only roles load it, because not every installation has a cluster. */
export const KUBERNETES = 'platform/kubernetes';

/** Packages and functions that one place alone may use, with the reason. */
export const ONLY_IN: [RegExp, RegExp, string][] = [
  [
    /from 'prom-client'/,
    /^platform\/observability\/metrics\.ts$/,
    'the library can be swapped in one file',
  ],
  [
    /['"]@opentelemetry\/(?!api')/,
    /^platform\/observability\/tracing\.ts$/,
    'it is loaded only where a collector is configured',
  ],
  [
    /'@opentelemetry\/api'/,
    /^platform\/observability\/trac(e-context|ing)\.ts$/,
    'the library can be swapped in two files',
  ],
  [
    /from 'undici'/,
    /^platform\/(egress|kubernetes)\//,
    'every outgoing request passes the address guard, except those to our own API server',
  ],
  [
    /from 'node:https?'/,
    /^platform\/(egress|http)\/|^platform\/observability\/health\.ts$|^standalone\/(demo-(receiver|shop)|scripted-model)\.ts$|^drill\/server\.ts$/,
    'every outgoing request passes the address guard; the drill is a carrier and a receiver, which are outside',
  ],
  [
    /'@kubernetes\/client-node'/,
    /^platform\/kubernetes\/credentials\.ts$/,
    'it takes a second and 87 MB to load',
  ],
  [/from 'express'/, /^platform\/http\/|\.routes\.ts$/, 'HTTP ends where the routes do'],
  [
    /from 'pg'/,
    /^platform\/postgres\//,
    'SQL is in *.sql.ts, its connections in platform/postgres',
  ],
  [/\.query[(<]/, /\.sql\.ts$|^platform\/postgres\//, 'SQL is in *.sql.ts'],
  [
    /dangerouslySetInnerHTML|(inner|outer)HTML|insertAdjacentHTML|srcDoc|document\.write|createContextualFragment|DOMParser|\beval\(|new Function\b/,
    /^$/,
    'content of others is shown as text, and text is never run',
  ],
  [/process\.env/, /^config\.ts$/, 'one file reads the environment'],
  [
    /\bfetch\(/,
    /^(widget\/talk\/token|drill\/(api|carrier))\.ts$/,
    'every outgoing request goes through platform/egress; pages of other sites and the drill are outside',
  ],
  [
    /from '(react|react-dom|react-hook-form|@tanstack|@base-ui|diff|@parley)[/']/,
    /^dashboard\//,
    'browser packages are not part of the program',
  ],
];

/**
 * Files that take time from the platform instead of src/clock.ts. Browsers have no such clock, the drill is a program of
 * its own, and a failpoint blocks the process on purpose.
 */
export const OWN_TIME = /^(clock\.ts$|failpoints\.ts$|(dashboard|widget|drill)\/)/;

/** Files with SQL on tables of another noun, each with its reason. Only the outbox writes such a table. */
export const REACHES_OVER: Record<string, readonly string[]> = {
  // Conversations in progress and at the edge of a period have no counters yet. Reply times stand in turns.
  'analytics/measures.sql.ts': ['conversations', 'escalations'],
  'analytics/agent-stats.sql.ts': ['conversations', 'turns'],
  // People are known from the escalations that they accepted.
  'analytics/figures.sql.ts': ['escalations'],
  // The fan-out: one statement stores an event and its deliveries.
  'events/outbox.sql.ts': ['delivery_queue', 'webhook_endpoints'],
  // A claim reads the body too; a replay looks for missed events.
  'webhooks/queue/delivery-queue.sql.ts': ['events'],
  'webhooks/replay/jobs.sql.ts': ['events'],
  // An erased event cannot be sent again; an event made for one endpoint is a test.
  'webhooks/receipts/receipts.sql.ts': ['events'],
  // All partitioned tables are created and dropped by the same days.
  'webhooks/queue/partitions.sql.ts': ['events'],
  // An agent that is deleted takes those who took part in its rollouts along.
  'agents/agents.sql.ts': ['rollout_conversations'],
  // The abort of a rollout records that its conversations need a human.
  'agents/rollouts/rollouts.sql.ts': ['rollout_escalations'],
  // A turn reads the conversation, its agent and the content of its version by one statement.
  'conversations/ending/end-conversation.sql.ts': ['agent_versions'],
  'conversations/record/conversations.sql.ts': ['agent_versions', 'agents'],
  // Conversations are found by the numbers of their call. The feedback page shows the name of the agent.
  'conversations/record/list-conversations.sql.ts': ['agents', 'calls'],
  // The ends of a call and of its conversation are read together.
  'calls/calls.sql.ts': ['conversations'],
  // A number is bound to the agent that has the name now.
  'calls/providers/accounts.sql.ts': ['agents'],
};

/** What a process of each role must not load: it costs memory and can fail. */
export const NOT_LOADED: Record<string, { roots: string[]; foreign: RegExp; proof: string }> = {
  delivery: {
    roots: ['main.ts', 'commands/run-role.ts', 'roles/delivery/run.ts'],
    foreign:
      /\.routes\.ts$|\.reconciler\.ts$|^platform\/(http|kubernetes|reconcile|manifests)\/|^platform\/resources\/schema\/|^(standalone|roles\/(api|operator))\//,
    proof: 'webhooks/delivery/deliverer.ts',
  },
  operator: {
    roots: ['main.ts', 'commands/run-role.ts', 'roles/operator/run.ts'],
    foreign: /\.routes\.ts$|^platform\/http\/app\.ts$|^standalone\/|^roles\/(api|delivery)\//,
    proof: 'platform/reconcile/term.ts',
  },
};

/** The folder in which the SQL of each table stands. */
export const TABLES: Record<string, string> = {
  agents: 'agents',
  agent_activations: 'agents',
  agent_recalls: 'agents',
  agent_rollouts: 'agents',
  agent_versions: 'agents',
  analytics_costs: 'analytics',
  analytics_counts: 'analytics',
  api_keys: 'access',
  audit_log: 'audit',
  calls: 'calls',
  conversation_facts: 'analytics',
  conversation_metadata: 'conversations',
  conversation_versions: 'conversations',
  conversations: 'conversations',
  customer_erasures: 'erasure',
  deleted_agents: 'conversations',
  deliveries: 'webhooks',
  delivery_attempts: 'webhooks',
  delivery_processes: 'webhooks',
  delivery_queue: 'webhooks',
  endpoint_health: 'webhooks',
  escalations: 'conversations',
  escalation_notes: 'conversations',
  canned_replies: 'conversations',
  events: 'events',
  deferred_events: 'events',
  given_secrets: 'kinds',
  idempotency_marks: 'platform/idempotency',
  jobs: 'webhooks',
  knowledge_chunks: 'knowledge',
  knowledge_documents: 'knowledge',
  knowledge_embeddings: 'knowledge',
  knowledge_gap_questions: 'knowledge',
  knowledge_gaps: 'knowledge',
  knowledge_lexemes: 'knowledge',
  knowledge_postings: 'knowledge',
  knowledge_rewords: 'knowledge',
  knowledge_sources: 'knowledge',
  knowledge_staged_batches: 'knowledge',
  knowledge_staged_documents: 'knowledge',
  knowledge_syncs: 'knowledge',
  knowledge_uploads: 'knowledge',
  knowledge_upload_pieces: 'knowledge',
  knowledge_vectors: 'knowledge',
  knowledge_words: 'knowledge',
  leader_epochs: 'platform/postgres',
  live_turns: 'conversations',
  model_providers: 'models',
  openai_talks: 'conversations',
  resource_version: 'platform/resources',
  resources: 'platform/resources',
  rollout_conversations: 'conversations',
  rollout_escalations: 'conversations',
  session_tokens: 'access',
  sessions: 'access',
  sign_in_tokens: 'access',
  telephony_numbers: 'calls',
  telephony_providers: 'calls',
  tool_secrets: 'agents',
  turns: 'conversations',
  webhook_endpoints: 'webhooks',
};
