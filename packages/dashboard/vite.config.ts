import path from 'node:path';
import { defineConfig } from 'vite';

const HERE = import.meta.dirname;
const ROOT = path.resolve(HERE, '../..');
const API = { target: 'http://127.0.0.1:8080', changeOrigin: false };

const EVERYWHERE =
  /node_modules\/(react|react-dom|scheduler|openapi-fetch|use-sync-external-store|@tanstack\/(react-)?(query|router|store)(-core)?|@tanstack\/history)\//;

/** Of the pieces of pages those that most pages show at once; the table brings a package with it. */
const FRAME =
  /dashboard\/src\/(ui\/(?!agent-filter|chart|diff|table|filters)|data|app\/(?!sign-in\.))/;
const PAGES_OF =
  /dashboard\/src\/pages\/(calls|conversations|escalations|knowledge|settings|webhooks)\//;

/** Builds `src` to `dist/dashboard` of the repository: hashed files that the API role serves. */
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
    // Everything is a file: the policy of the page allows no data URLs.
    assetsInlineLimit: 0,
    rolldownOptions: {
      // Where a machine is busy, everything is slow.
      checks: { bundlerTimings: false },
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            // What every page needs and few changes touch: after an upgrade browsers have it already.
            { name: 'packages', test: EVERYWHERE },
            { name: 'frame', test: FRAME },
            // The pages of a noun: many small files are a sixth larger than the few they make, packed.
            // Not of agents: the overview shares pieces with them.
            { name: (id) => PAGES_OF.exec(id)?.[1] ?? null, test: PAGES_OF, debugName: 'pages' },
          ],
        },
      },
      onwarn: (warning, warn) => {
        // "use client" of libraries means nothing where all of it is for browsers.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
  // `npm run dashboard`: changes are seen at once, the API is that of a `npm start` beside it, which is
  // asked under the name that the page has: else it takes the page for another site's.
  server: { host: '127.0.0.1', proxy: { '/v1': API, '/docs': API } },
});
