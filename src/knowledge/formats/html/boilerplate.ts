import { BESIDE, IN_ARTICLE, IN_CONTENT, IN_MAIN } from './html-blocks.ts';

/** What of a page is its text, by the names, roles and classes that sites give to its parts. */

export type Attributes = Readonly<Record<string, string>>;

/** Nothing in them is text that people read on this page. */
const NEVER_READ = new Set([
  'script',
  'style',
  'template',
  'noscript',
  'svg',
  'iframe',
  'object',
  'embed',
  'canvas',
  'audio',
  'video',
  'map',
  'nav',
  'dialog',
  'select',
  'datalist',
  'textarea',
  'option',
  'menu',
  'head',
]);
const BESIDE_NAMES = new Set(['form', 'footer', 'button', 'label']);
const ROLES_LEFT_OUT = new Set([
  'navigation',
  'banner',
  'contentinfo',
  'search',
  'dialog',
  'alertdialog',
  'menu',
  'menubar',
  'toolbar',
]);
/** Also where they stand in the middle of a text. */
const CLASS_LEFT_OUT =
  /^(headerlink|header-anchor|heading-anchor|hash-link|anchor-link|anchorjs-link|permalink|linenos|lineno|linenodiv|line-numbers(-rows|-wrapper)?|line-number|skip-?(link|nav|to-content|to-main)|screen-reader-text|sr-only|visually-hidden|cookie-?(banner|bar|consent|notice|popup|modal|law|overlay)|cookieconsent|cc-window|cc-banner|onetrust-.*|cybotcookiebot.*|gdpr-.*|consent-(banner|modal|popup)|copybtn|copy-(button|btn)|clipboard-copy)$/i;
const CLASS_BESIDE =
  /^(nav|navbar|navheader|navfooter|navigation|nav-?links?|side-?bar|sphinxsidebar|menu|breadcrumbs?|footer|site-footer|page-footer|site-header|page-header|masthead|pagination|pager|prev-next|toc|table-of-contents|tableofcontents|share|sharing|social|social-share|related|related-(posts|articles|pages)|comments|advert|advertisement|ads|newsletter|subscribe|edit-(page|link|this-page)|theme-edit-this-page|last-updated|backlinks?|topnav|bottomnav|subnav|sub-nav|top-nav|bottom-nav|legal-copy|copyright)$/i;
const ID_BESIDE =
  /^(header|footer|site-header|site-footer|masthead|sidebar|nav|navbar|navigation|menu|toc|breadcrumbs?|comments|cookie-?(banner|bar|consent|notice)|onetrust-.*)$/i;
/** Elements whose id is a heading's in pages made from text: `<section id="menu">`. */
const ID_IS_OF_TEXT = new Set(['section', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'a', 'span', 'dt']);
const ADMONITION =
  /(^|[\s_-])(admonition|callout|note|tip|hint|info|warning|caution|danger|important|starlight-aside|custom-block)($|[\s_-])/i;
const CONTENT =
  /^(content|main|main-content|maincontent|page-content|markdown-body|markdown|post-content|entry-content|article-content|article-body|mw-parser-output|rst-content|theme-doc-markdown|vp-doc|md-content|bodywrapper|contentcontainer|prose)$/i;

/** Whether nothing inside is read; `isInTitle`: inside a heading. */
export function isLeftOut(name: string, attributes: Attributes, isInTitle: boolean): boolean {
  if (NEVER_READ.has(name)) return true;
  if (isHidden(attributes)) return true;
  if (ROLES_LEFT_OUT.has(attributes['role'] ?? '')) return true;
  const classes = wordsOf(attributes['class']);
  if (!classes.some((word) => CLASS_LEFT_OUT.test(word))) return false;
  // `permalink` and `anchor` are also names for a title that links to itself.
  return !isInTitle || name === 'a' || name === 'span' || name === 'button';
}

/** What an element adds to `Block.where` of what is inside. */
export function whereOf(name: string, attributes: Attributes, outside: number): number {
  return regionOf(name, attributes) | (isBeside(name, attributes, outside) ? BESIDE : 0);
}

function regionOf(name: string, attributes: Attributes): number {
  if (name === 'main' || attributes['role'] === 'main') return IN_MAIN;
  if (name === 'article' || attributes['itemprop'] === 'articleBody') return IN_ARTICLE;
  if (name === 'body' || name === 'html') return 0;
  const names = [...wordsOf(attributes['class']), attributes['id'] ?? ''];
  return names.some((word) => CONTENT.test(word)) ? IN_CONTENT : 0;
}

function isBeside(name: string, attributes: Attributes, outside: number): boolean {
  if (name === 'body' || name === 'html' || name === 'main') return false;
  if (BESIDE_NAMES.has(name)) return true;
  const given = attributes['class'];
  // That of an article has its title in it.
  if (name === 'header') return (outside & (IN_MAIN | IN_ARTICLE)) === 0;
  if (name === 'aside' || attributes['role'] === 'complementary') {
    return given === undefined || !ADMONITION.test(given);
  }
  const classes = wordsOf(given);
  if (classes.some((word) => CLASS_BESIDE.test(word))) return true;
  const isTextId = ID_IS_OF_TEXT.has(name) || classes.some((word) => /^sect/i.test(word));
  return !isTextId && ID_BESIDE.test(attributes['id'] ?? '');
}

function isHidden(attributes: Attributes): boolean {
  if (attributes['aria-hidden'] === 'true') return true;
  // A tab that is not shown at first is part of the text.
  if (attributes['hidden'] !== undefined) return attributes['role'] !== 'tabpanel';
  const style = attributes['style'];
  return style !== undefined && /(display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style);
}

/** A class attribute may be a megabyte. */
function wordsOf(text: string | undefined): string[] {
  return text === undefined ? [] : text.slice(0, 1000).split(/\s+/, 30);
}
