import { writeFileSync } from 'node:fs';
import { clientTypes } from '../platform/http/openapi/client-types.ts';
import { describeRoutes } from './describe-routes.ts';

/** Writes the types of packages/client: `npm run generate -- client`. A test compares them with the routes. */
const file = new URL('../../packages/client/src/api.ts', import.meta.url);
writeFileSync(file, clientTypes(describeRoutes()));
