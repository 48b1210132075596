import { AROUND, BESIDE, FORM, IN_ARTICLE, IN_CONTENT, IN_MAIN } from './html-blocks.ts';

/** This module decides which parts of a page belong to its text, based on element names, roles, classes and ids. */

export type Attributes = Readonly<Record<string, string>>;
/**
 * An opening tag with its classes. The attribute `class` is split only once, because several functions need the
 * classes.
 */
export type Tag = { name: string; attributes: Attributes; classes: readonly string[] };

export function tagOf(name: string, attributes: Attributes): Tag {
  return { name, attributes, classes: wordsOf(attributes['class']) };
}

/** Elements that contain no readable text. */
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
  'rp',
  'head',
]);
const BESIDE_NAMES = new Set(['form', 'footer', 'button', 'label']);
const AROUND_NAMES = new Set(['header', 'footer', 'address', 'aside']);
const AROUND_ROLES = new Set(['banner', 'contentinfo']);
const ROLES_LEFT_OUT = new Set([
  'navigation',
  'search',
  'dialog',
  'alertdialog',
  'menu',
  'menubar',
  'toolbar',
]);
/** Class names of elements that are left out wherever they occur, such as links to headings and cookie banners. */
const CLASS_LEFT_OUT =
  /^(headerlink|header-anchor|heading-anchor|hash-link|anchor-link|anchorjs-link|permalink|linenos|lineno|linenodiv|line-numbers(-rows|-wrapper)?|line-number|skip-?(link|nav|to-content|to-main)|screen-reader-text|sr-only|visually-hidden|cookie-?(banner|bar|consent|notice|popup|modal|law|overlay)|cookieconsent|cc-window|cc-banner|onetrust-.*|cybotcookiebot.*|gdpr-(banner|bar|consent|notice|modal|popup)|consent-(banner|modal|popup)|copybtn|copy-(button|btn)|clipboard-copy)$/i;
const CLASS_BESIDE =
  /^(nav|navbar|navheader|navfooter|navigation|nav-?links?|side-?bar|sphinxsidebar|menu|breadcrumbs?|footer|site-footer|page-footer|site-header|page-header|masthead|pagination|pager|prev-next|toc|table-of-contents|tableofcontents|share|sharing|social|social-share|related|related-(posts|articles|pages)|comments|advert|advertisement|ads|newsletter|subscribe|edit-(page|link|this-page)|theme-edit-this-page|last-updated|backlinks?|topnav|bottomnav|subnav|sub-nav|top-nav|bottom-nav|legal-copy|copyright)$/i;
/** Class names and ids of elements that count as menus, even if their content reads like text. */
const NAME_STAYS =
  /^(breadcrumbs?|comments|copyright|legal-copy|last-updated|edit-(page|link|this-page)|theme-edit-this-page|backlinks?|prev-next|cookie-?(banner|bar|consent|notice)|onetrust-.*)$/i;
const NAME_OF_PAGE =
  /^(side-?bar|sphinxsidebar|header|footer|site-header|site-footer|page-header|page-footer|navheader|navfooter|masthead|newsletter|subscribe)$/i;
const ID_BESIDE =
  /^(header|footer|site-header|site-footer|masthead|sidebar|nav|navbar|navigation|menu|toc|breadcrumbs?|comments|cookie-?(banner|bar|consent|notice)|onetrust-.*)$/i;
/**
 * Elements whose id is often generated from a heading, as in `<section id="menu">`. An id of such an element does not
 * show that the element is a menu.
 */
const ID_IS_OF_TEXT = new Set(['section', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'a', 'span', 'dt']);
const ADMONITION =
  /(^|[\s_-])(admonition|callout|note|tip|hint|info|warning|caution|danger|important|starlight-aside|custom-block)($|[\s_-])/i;
const CLASS_OPENS =
  /(accordion|collaps|tab-?(pane|panel|content)|toggle-?(content|panel|body)|faq|answer|expand|spoiler|read-?more|disclosure|details)/i;
const CLASS_TOOL =
  /(modal|popup|popover|offcanvas|off-canvas|lightbox|dropdown|tooltip|toast|cookie|consent|alert|error|spinner|loading|template)/i;
const CONTENT =
  /^(content|main|main-content|maincontent|page-content|markdown-body|markdown|post-content|entry-content|article-content|article-body|mw-parser-output|rst-content|theme-doc-markdown|vp-doc|md-content|bodywrapper|contentcontainer|prose)$/i;

/**
 * Returns true if an element and its content are never part of the page's text. `isInTitle` means that the element is a
 * title (a heading, `<summary>` or `<dt>`) or inside a title.
 */
export function isLeftOut({ name, attributes, classes }: Tag, isInTitle: boolean): boolean {
  if (NEVER_READ.has(name)) return true;
  if (ROLES_LEFT_OUT.has(attributes['role'] ?? '')) return true;
  if (!classes.some((word) => CLASS_LEFT_OUT.test(word))) return false;
  // A heading with a class such as `permalink` or `header-anchor` is not left out, because sites also give these
  // classes to headings that link to themselves.
  return !isInTitle || name === 'a' || name === 'span' || name === 'button';
}

/**
 * Returns the bits of `Block.where` for the blocks directly inside an element. The caller combines them with `outside`,
 * the bits of the surrounding element.
 */
export function whereOf(tag: Tag, outside: number): number {
  const { name } = tag;
  const isForm = name === 'form' || name === 'button' || name === 'label';
  return (
    regionOf(tag) |
    (isBeside(tag, outside) ? BESIDE : 0) |
    (isAround(tag) ? AROUND : 0) |
    (isForm ? FORM : 0)
  );
}

function isAround({ name, attributes, classes }: Tag): boolean {
  if (AROUND_NAMES.has(name) || AROUND_ROLES.has(attributes['role'] ?? '')) return true;
  if (name === 'body' || name === 'html' || name === 'main') return false;
  const isOfPage = (word: string): boolean =>
    NAME_OF_PAGE.test(word) && !/^(newsletter|subscribe)$/i.test(word);
  return classes.some(isOfPage) || isOfPage(attributes['id'] ?? '');
}

function regionOf({ name, attributes, classes }: Tag): number {
  if (name === 'main' || attributes['role'] === 'main') return IN_MAIN;
  if (name === 'article' || attributes['itemprop'] === 'articleBody') return IN_ARTICLE;
  if (name === 'body' || name === 'html') return 0;
  const isContent =
    classes.some((word) => CONTENT.test(word)) || CONTENT.test(attributes['id'] ?? '');
  return isContent ? IN_CONTENT : 0;
}

function isBeside({ name, attributes }: Tag, outside: number): boolean {
  if (name === 'body' || name === 'html' || name === 'main') return false;
  // A button that opens a section of the page may be the title of that section, so the button belongs to the text.
  if (name === 'button' && openedBy(attributes) !== undefined) return false;
  if (BESIDE_NAMES.has(name)) return true;
  if (AROUND_ROLES.has(attributes['role'] ?? '')) return true;
  const given = attributes['class'];
  // Inside an article or `<main>`, the header contains the title, so it belongs to the text.
  if (name === 'header') return (outside & (IN_MAIN | IN_ARTICLE)) === 0;
  if (name === 'aside' || attributes['role'] === 'complementary') {
    return given === undefined || !ADMONITION.test(given);
  }
  return false;
}

/**
 * Returns true for `<menu>`, and for an element with a class or id that is typical of menus and advertisements. Such an
 * element may still be part of the text.
 */
export function isNamedBeside({ name, attributes, classes }: Tag): boolean {
  if (name === 'body' || name === 'html' || name === 'main') return false;
  if (name === 'menu') return true;
  if (classes.some((word) => CLASS_BESIDE.test(word))) return true;
  const isTextId = ID_IS_OF_TEXT.has(name) || classes.some((word) => /^sect/i.test(word));
  return !isTextId && ID_BESIDE.test(attributes['id'] ?? '');
}

/**
 * Returns true if the class or id of an element excludes the element from the text, regardless of its content.
 * `outside` holds the bits of `Block.where` for the surrounding element.
 */
export function staysBeside({ attributes, classes }: Tag, outside: number): boolean {
  const names = [...classes, attributes['id'] ?? ''];
  if (names.some((word) => NAME_STAYS.test(word))) return true;
  const isInText = (outside & (IN_MAIN | IN_ARTICLE)) !== 0;
  return !isInText && names.some((word) => NAME_OF_PAGE.test(word));
}

/** Returns true if the attributes of a hidden element show that visitors can open it, as in an accordion. */
export function opensByItself({ attributes, classes }: Tag): boolean {
  if (attributes['hidden'] === 'until-found' || attributes['role'] === 'tabpanel') return true;
  if (attributes['role'] === 'region' && attributes['aria-labelledby'] !== undefined) return true;
  return classes.some((word) => CLASS_OPENS.test(word));
}

/**
 * Returns the ids of the elements that a button or link opens, separated by spaces. Returns `undefined` if it opens a
 * menu, a dialog or nothing.
 */
export function openedBy(attributes: Attributes): string | undefined {
  if (attributes['aria-haspopup'] !== undefined && attributes['aria-haspopup'] !== 'false')
    return undefined;
  const controlled = attributes['aria-controls'];
  if (controlled !== undefined) return controlled.trim().slice(0, 200);
  const toggles = attributes['data-bs-toggle'] ?? attributes['data-toggle'];
  if (toggles !== undefined && !/^(collapse|tab|pill|accordion)$/.test(toggles)) return undefined;
  const target = attributes['data-bs-target'] ?? attributes['data-target'] ?? attributes['href'];
  if (target?.startsWith('#') === true) return target.slice(1, 200);
  const script = attributes['onclick'];
  return script === undefined ? undefined : idsIn(script);
}

/**
 * Returns the quoted words of a script, separated by spaces, or `undefined` if there are none. One of the words may be
 * the id of the element that the script opens, as in `toggle('a2')`.
 */
function idsIn(script: string): string | undefined {
  const words = script.slice(0, 1_000).matchAll(/['"`]#?([\w-]{1,200})['"`]/g);
  const ids = [...words].map(([, word]) => word).join(' ');
  return ids === '' ? undefined : ids;
}

/** Returns true for a hidden element that is part of the page's user interface, such as a dialog or a tooltip. */
export function isTool({ classes }: Tag): boolean {
  return classes.some((word) => CLASS_TOOL.test(word));
}

export function isHidden(attributes: Attributes): boolean {
  if (attributes['aria-hidden'] === 'true') return true;
  if (attributes['hidden'] !== undefined) return true;
  return hasStyle(attributes, /(display\s*:\s*none|visibility\s*:\s*hidden)/i);
}

/** Returns true for text that is struck out by its element or its style. */
export function isStruck(name: string, attributes: Attributes): boolean {
  if (name === 'del' || name === 's' || name === 'strike') return true;
  return hasStyle(attributes, /text-decoration(-line)?\s*:[^;]*line-through/i);
}

export function hasStyle({ style }: Attributes, pattern: RegExp): boolean {
  return style !== undefined && pattern.test(style.slice(0, 1_000));
}

/** Splits an attribute into words. Reads only its beginning, because a class attribute may be a megabyte long. */
function wordsOf(text: string | undefined): string[] {
  return text === undefined ? [] : text.slice(0, 1000).split(/\s+/, 30);
}
