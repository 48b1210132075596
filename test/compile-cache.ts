import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * NODE_COMPILE_CACHE for every Parley process that a test spawns. Without it, each process strips the types of the
 * whole program again, which takes 0.25 to 0.5 s of CPU time. Only a process that ends normally fills the cache.
 */
export const COMPILE_CACHE = path.join(tmpdir(), 'parley-test-compile-cache');
