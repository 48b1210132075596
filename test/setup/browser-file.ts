import { afterAll, afterEach, beforeEach } from 'vitest';
import { closeDashboard, enterTest, leaveTest } from '../dashboard/dashboard.ts';

// Modules stay loaded between test files, so hooks at the top level of dashboard.ts would only run for the first file.
beforeEach(enterTest);
afterEach(leaveTest);
afterAll(closeDashboard);
