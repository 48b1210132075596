import { afterAll } from 'vitest';
import { releaseKube } from '../roles/engine.ts';

// Modules stay loaded between test files, so a hook at the top level of engine.ts would only run for the first file.
afterAll(releaseKube);
