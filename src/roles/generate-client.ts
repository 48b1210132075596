import { writeFileSync } from 'node:fs';
import { createRoutes, describeRoutes, type RoutesDeps } from './api/routes.ts';
import { clientTypes } from '../platform/http/openapi/client-types.ts';

/** `npm run generate -- client`: writes the types of packages/client anew. Routes are only looked at, not called. */
const document = await describeRoutes(createRoutes({ version: '' } as RoutesDeps), '');
writeFileSync(new URL('../../packages/client/src/api.ts', import.meta.url), clientTypes(document));
