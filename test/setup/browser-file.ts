import { afterAll, afterEach, beforeEach } from 'vitest';
import { closeDashboard, enterTest, leaveTest } from '../dashboard/dashboard.ts';

// Modules outlive a test file, so hooks at the top level of dashboard.ts would run for the first file only.
beforeEach(enterTest);
afterEach(leaveTest);
afterAll(closeDashboard);
