import { writeFileSync } from 'node:fs';
import { OPENAPI_FILE, openApiText } from './api/openapi-file.ts';
import { describeRoutes } from './describe-routes.ts';

/** Writes the document that the API serves: `npm run generate -- openapi`. A test compares it with the routes. */
writeFileSync(OPENAPI_FILE, openApiText(describeRoutes()));
