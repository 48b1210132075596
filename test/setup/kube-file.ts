import { afterAll } from 'vitest';
import { releaseKube } from '../roles/engine.ts';

// Modules outlive a test file, so a hook at the top level of engine.ts would run for the first file only.
afterAll(releaseKube);
