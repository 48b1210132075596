import { writeFileSync } from 'node:fs';
import { OPENAPI_FILE, openApiText } from './api/openapi-file.ts';
import { describeRoutes } from './describe-routes.ts';

/** `npm run generate -- openapi`: writes the document that the API serves. A test compares it with the routes. */
writeFileSync(OPENAPI_FILE, openApiText(describeRoutes()));
