import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * NODE_COMPILE_CACHE for every Parley that a test spawns. Without it each process strips the types of the whole program
 * again, for a quarter to half a second of a core. Only a process that ends in order fills it.
 */
export const COMPILE_CACHE = path.join(tmpdir(), 'parley-test-compile-cache');
