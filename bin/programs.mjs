/**
 * Names the programs behind `npm run bench`, `npm run test:nightly` and `npm run generate`. Each entry has its file, a
 * description and the duration on two cores.
 */
export const benches = {
  conversations: [
    'test/bench/conversations.ts',
    'CPU time of conversations that start and end, 30 s',
  ],
  dashboard: ['test/dashboard/bench/main.ts', 'first view, page changes, live events, memory'],
  delivery: [
    'test/bench/delivery/main.ts',
    'delivery compared with graphile-worker, 30 min; -- --quick',
  ],
  'early-hints': [
    'test/bench/early-hints.ts',
    'one tenant’s deliveries while other receivers send 103 responses forever',
  ],
  frameworks: ['test/bench/frameworks/main.ts', 'calls compared with Pipecat and LiveKit Agents'],
  heard: ['test/drill/heard/main.ts', 'playback position at an interruption, with real speech'],
  import: ['test/bench/import.ts', 'importing 700 text sources, 30 s'],
  kubernetes: ['test/bench/kubernetes.ts', 'the operator on a kube-apiserver, 6 min'],
  language: ['test/language/main.ts', 'search, gaps and moods on public language data sets'],
  lists: ['test/bench/lists.ts', 'every list over 1,000,000 rows, 15 min'],
  media: ['test/bench/media.ts', 'calls over Media Streams, 3 min'],
  'model-turns': [
    'test/bench/model-turns.ts',
    'turns with a stub model, compared with the openai client, 3 min',
  ],
  recall: ['test/bench/recall.ts', 'a recall over 1,000,000 conversations, 3 min'],
  recovery: ['test/bench/recovery/main.ts', 'recovery times after faults, 2 min'],
  relay: ['test/bench/relay.ts', 'calls over ConversationRelay, 2 min'],
  replay: ['test/bench/replay.ts', 'replay of 100,000 events, 3 min'],
  'rollout-starts': [
    'test/bench/rollout-starts.ts',
    'conversation starts in a rollout: cost and shares, 2 min',
  ],
  rollouts: ['test/bench/rollouts.ts', 'simulated rollouts, judged after every conversation, 30 s'],
  search: ['test/bench/search.ts', 'search over 10,000 to 200,000 passages, 5 min'],
  shares: [
    'test/bench/shares.ts',
    'one tenant’s requests while another tenant’s key uses all capacity it can get, 2 min',
  ],
  summary: ['test/bench/summary.ts', 'the numbers in the README: start, delivery, memory, 2 min'],
  talks: ['test/bench/talks.ts', 'web voice, 2 min'],
  turns: ['test/bench/turns.ts', 'text turns without a model, 1 min'],
  upload: [
    'test/bench/upload.ts',
    'one tenant’s requests while another tenant uploads the worst files, 25 min',
  ],
  website: ['test/bench/website.ts', 'reading a website of 500 pages'],
};

/** Parts of the nightly tests, in the order in which they run. `tests` and `faults` run Vitest (tasks.mjs). */
export const nightly = {
  tests: [undefined, 'every test of `npm test` in its full form'],
  faults: [undefined, 'every known fault, 50 rounds each, hours; -- PATH for one'],
  mutants: ['test/mutants/main.ts', 'planted bugs, each of which a test must find; -- NAME'],
  generated: [
    'test/mutants/generated/main.ts',
    'a random sample of generated mutants; -- --record once, --noun, --sample, --seed',
  ],
  contract: ['test/contract/main.ts', 'schemathesis against /v1/openapi.json'],
  peers: ['test/peers/main.ts', 'third-party clients, sites, files and carriers; -- NAME'],
  neighbours: [
    'test/neighbours/main.ts',
    'a victim’s requests during each attack in docs/security.md, 45 min; -- --only NAME',
  ],
  soak: ['test/soak/main.ts', 'an hour of load with a fault every 20 s; -- --minutes 5'],
  drill: ['test/drill/main.ts', 'calls with real speech and interruptions; -- --interruptions 10'],
};

/** Programs that generate committed files from the sources. `npm run generate` without a name skips `screenshots`. */
export const generators = {
  crds: ['src/roles/generate-crds.ts', 'the CRDs, after a change to a kind’s schema'],
  openapi: ['src/roles/generate-openapi.ts', 'the OpenAPI document, after a change to routes'],
  client: [
    'src/roles/generate-client.ts',
    'the types of packages/client, after a change to routes',
  ],
  screenshots: ['test/dashboard/screenshots/main.ts', 'the images in docs/dashboard.md; -- NAME'],
};
