import path from 'node:path';
import { defineConfig } from 'vite';

const HERE = import.meta.dirname;
const ROOT = path.resolve(HERE, '../..');
const API = { target: 'http://127.0.0.1:8080', changeOrigin: false };

const EVERYWHERE =
  /node_modules\/(react|react-dom|scheduler|openapi-fetch|use-sync-external-store|@tanstack\/(react-)?(query|router|store)(-core)?|@tanstack\/history)\//;

/** Modules that most pages need immediately. The table is excluded, because it needs an additional package. */
const FRAME =
  /dashboard\/src\/(ui\/(?!agent-filter|chart|diff|table|filters)|data|app\/(?!sign-in\.))/;
/** Modules in the folders of `FRAME` that many pages need, but not the first page. */
const PARTS =
  /dashboard\/src\/(ui\/(actor|agent-link|code|confirm|delta|dialog|field|panel|thing)|data\/(agent-writes|conversations|events|knowledge|places|questions|save-file|syncs|upload|webhooks))\./;
/** Forms and their library, which pages without a form do not need. */
const FORM = /node_modules\/react-hook-form\/|dashboard\/src\/form\//;
/**
 * Pages by navigation group. Each group is one file, because many small files would be a sixth larger when compressed.
 * The files `agent-state`, `customer-link` and `escalation-words` and the styles of agents are excluded, because the
 * overview page also uses them.
 */
const PAGES = {
  support:
    /dashboard\/src\/(pages\/(calls|conversations|customers(?!\/customer-link)|escalations(?!\/escalation-words))\/|transcript\/(?!document-link|redaction-words))/,
  build: /dashboard\/src\/pages\/(agents(?!\/(agent-state|agents\.css))|knowledge|playground)\//,
  operate: /dashboard\/src\/pages\/(analytics|settings|webhooks)\//,
};

/** Builds `src` into the repository's `dist/dashboard`: hashed files that the API role serves. */
export default defineConfig({
  root: path.join(HERE, 'src'),
  cacheDir: path.join(ROOT, 'node_modules/.cache/vite'),
  resolve: {
    alias: { '@parley/client': path.join(ROOT, 'packages/client/src/client.ts') },
  },
  build: {
    outDir: path.join(ROOT, 'dist/dashboard'),
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    // Assets are never inlined, because the page's Content Security Policy allows no data URLs.
    assetsInlineLimit: 0,
    rolldownOptions: {
      // Disables warnings about build times, because every step is slow on a busy machine.
      checks: { bundlerTimings: false },
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            // Packages that every page needs and that rarely change, so that browsers keep them in their cache across
            // upgrades.
            { name: 'packages', test: EVERYWHERE },
            { name: 'parts', test: PARTS },
            { name: 'frame', test: FRAME },
            { name: 'form', test: FORM },
            ...Object.entries(PAGES).map(([name, test]) => ({ name, test })),
          ],
        },
      },
      onwarn: (warning, warn) => {
        // Libraries mark modules with "use client", which means nothing in a build for browsers only.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
  // `npm run dashboard` reloads changes and forwards API requests to a running `npm start`. The proxy keeps the page's
  // host name (`changeOrigin: false`), because the API would reject a page with a different host name as cross-site.
  server: { host: '127.0.0.1', proxy: { '/v1': API, '/docs': API } },
});
