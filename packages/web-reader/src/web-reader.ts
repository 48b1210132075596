/** Public interface of the package. */
export { decodeHtml } from './html/decode-html.ts';
export { HtmlRefused } from './html/html-refused.ts';
export { withAround } from './html/page-contacts.ts';
export { readHtml, type HtmlDocument } from './html/read-html.ts';
export { createRequest, type Request, type Send, type Sent } from './site/page-request.ts';
export type { ExtractPage, ExtractedPage } from './site/read-page.ts';
export { readSite, type SiteDeps, type SiteEnd, type SiteSettings } from './site/read-site.ts';
export { SiteRefused, type SiteEvent, type Validators } from './site/site-event.ts';
