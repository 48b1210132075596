import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Returns the path of the file that a thread or child process runs. The file is in the same folder as the module that
 * starts it. It is TypeScript in a checkout and JavaScript in a package.
 */
export function programFile(moduleUrl: string, name: string): string {
  const here = fileURLToPath(moduleUrl);
  return path.join(path.dirname(here), name + path.extname(here));
}
