import { readFileSync } from 'node:fs';
import path from 'node:path';

export function readVersion(): string {
  const file = path.resolve(import.meta.dirname, '../../../package.json');
  const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown';
}
