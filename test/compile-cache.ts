import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * NODE_COMPILE_CACHE of the workers (vitest.config.ts) and of every Parley that a test spawns. Without it each process
 * strips the types of the whole program again, for a quarter of a second of a core up to a whole one. Only a process
 * that ends in order fills it.
 */
export const COMPILE_CACHE = path.join(tmpdir(), 'parley-test-compile-cache');
