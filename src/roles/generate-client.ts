import { writeFileSync } from 'node:fs';
import { createRoutes, type AppDeps } from './api/app.ts';
import { clientTypes } from '../platform/http/openapi/client-types.ts';
import { describeApi } from '../platform/http/openapi/openapi.ts';

/** `npm run client`: writes the types of src/client anew. Routes are only looked at, not called. */
const document = describeApi(createRoutes({ version: '' } as AppDeps), '');
writeFileSync(new URL('../client/api.ts', import.meta.url), clientTypes(document));
