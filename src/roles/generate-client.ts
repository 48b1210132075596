import { writeFileSync } from 'node:fs';
import { clientTypes } from '../platform/http/openapi/client-types.ts';
import { describeRoutes } from './describe-routes.ts';

/** `npm run generate -- client`: writes the types of packages/client. A test compares them with the routes. */
const file = new URL('../../packages/client/src/api.ts', import.meta.url);
writeFileSync(file, clientTypes(describeRoutes()));
