import base from '../../../vitest.config.ts';

/** The projects of the root, with a setup file that records which functions each test file runs. */
const RECORDER = 'test/mutants/generated/record-coverage.ts';

type Project = { test: { setupFiles?: string | string[] } };
const projects = (base as { test: { projects: Project[] } }).test.projects;

// bin/node.mjs sets one, and V8 counts less exactly in functions that come from it.
process.env['NODE_DISABLE_COMPILE_CACHE'] = '1';

export default {
  ...base,
  test: {
    ...(base as { test: object }).test,
    projects: projects.map((project) => ({
      ...project,
      test: { ...project.test, setupFiles: [...[project.test.setupFiles ?? []].flat(), RECORDER] },
    })),
  },
};
