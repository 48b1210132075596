import { armFailpoints } from '../../../src/failpoints.ts';
import { startRunner } from './runner.ts';

/** The program of sync-process.ts. */
armFailpoints(process.env['SYNC_FAILPOINTS'] ?? '');
const runner = startRunner(process.env['SYNC_DATABASE'] ?? '');
process.once('SIGTERM', () => void runner.stop());
