/** Programs that are no tests: they measure, make load or stand for somebody outside. */
export const PROGRAMS =
  /^test\/(bench|soak|peers|drill|language|dashboard\/(bench|screenshots))\/|^test\/e2e\/pods\/|^test\/neighbours\/(?!.*\.test\.ts$)/;

/** Sleeps that may stay in the whole suite. Each has its reason in its line. */
export const SLEEPS_MAX = 10;

/** Sleeps that are still to be removed, by file. A shrinking list: nothing is added. */
export const SLEEPS_LEFT: Record<string, number> = {
  'test/e2e/calls.test.ts': 1,
  'test/e2e/install.test.ts': 3,
  'test/models/stub-model.ts': 1,
  'test/platform/egress/egress-load.ts': 1,
  'test/platform/egress/fetch.http.test.ts': 3,
  'test/platform/http/in-flight.pg.test.ts': 2,
  'test/platform/postgres/database-harness.ts': 1,
  'test/voice/tts/openai-tts.http.test.ts': 1,
  'test/until.ts': 1,
  'test/webhooks/delivery/processes/processes.faults.test.ts': 1,
  'test/webhooks/delivery/processes/rescue.faults.test.ts': 1,
};

/** Comparisons with a measured duration that are still to be removed, by file. A shrinking list: nothing is added. */
export const DURATIONS_LEFT: Record<string, number> = {
  'test/conversations/turns/languages/wants-human.test.ts': 1,
  'test/webhooks/delivery/backlogs.test.ts': 2,
  'test/webhooks/delivery/processes/processes.faults.test.ts': 2,
};

/** Files whose times are computed, not measured, with what computes them. */
export const COMPUTED: Record<string, string> = {
  'test/voice/vad/vad.test.ts': 'positions in a recorded sound',
  'test/voice/input/turns.test.ts': 'pauses that are decided for a sentence',
  'test/webhooks/delivery/slots.test.ts': 'pauses after a moment that the test names',
  'test/webhooks/queue/queue-schedule.pg.test.ts': 'due times in rows, after moments of the test',
};
