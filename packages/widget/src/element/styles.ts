/**
 * Styles of the shadow tree. A page can change them only with custom properties (docs/widget.md). They are in a
 * constructed style sheet, which a Content Security Policy without `unsafe-inline` allows.
 */
export const STYLES = `
:host {
  all: initial;
  color-scheme: light dark;
  --accent: var(--parley-accent, #1d4ed8);
  --accent-text: var(--parley-accent-text, #ffffff);
  --surface: var(--parley-surface, #ffffff);
  --text: var(--parley-text, #16181d);
  --muted: var(--parley-muted, #555b66);
  --border: var(--parley-border, #80868f);
  --bubble: var(--parley-bubble, #eef0f4);
  --bad: var(--parley-bad, #b3261e);
  --radius: var(--parley-radius, 14px);
  --inset: var(--parley-inset, 20px);
  font: 16px/1.45 var(--parley-font, system-ui, sans-serif);
  color: var(--text);
}
@media (prefers-color-scheme: dark) {
  :host {
    --accent: var(--parley-accent, #8fb2ff);
    --accent-text: var(--parley-accent-text, #0b1226);
    --surface: var(--parley-surface, #16181d);
    --text: var(--parley-text, #eceef2);
    --muted: var(--parley-muted, #a7adb8);
    --border: var(--parley-border, #767c88);
    --bubble: var(--parley-bubble, #272b33);
    --bad: var(--parley-bad, #ff9d94);
  }
}
:host([hidden]), [hidden] { display: none !important; }
* { box-sizing: border-box; }
button, textarea { font: inherit; color: inherit; }
button { cursor: pointer; border: 0; background: none; border-radius: 999px; padding: 0 14px; min-height: 40px; }
button:disabled { opacity: 0.55; cursor: default; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
svg { width: 24px; height: 24px; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; display: block; }
/* The layer has a box only above a dialog of the page. */
.layer { display: contents; }
.layer:popover-open { display: block; position: fixed; inset: 0; width: auto; height: auto; margin: 0; padding: 0; border: 0; background: none; color: inherit; overflow: visible; pointer-events: none; }
.layer:popover-open > * { pointer-events: auto; }
.launcher, .panel { position: fixed; z-index: var(--parley-z-index, 2147483000); inset-inline-end: var(--inset); bottom: var(--inset); }
.launcher { width: 60px; height: 60px; padding: 0; display: grid; place-items: center; background: var(--accent); color: var(--accent-text); box-shadow: 0 4px 16px #0005; }
.launcher svg { width: 28px; height: 28px; }
.panel { margin: 0; padding: 0; inset-inline-start: auto; top: auto; bottom: calc(var(--inset) + var(--covered, 0px)); width: 380px; max-width: calc(100vw - 2 * var(--inset)); height: 580px; max-height: calc(var(--seen-height, 100dvh) - 2 * var(--inset)); border: 1px solid var(--border); border-radius: var(--radius); background: var(--surface); color: var(--text); box-shadow: 0 8px 32px #0005; overflow: hidden; }
.panel[open] { display: flex; flex-direction: column; }
.panel::backdrop { background: #0008; }
header { display: flex; align-items: center; gap: 8px; padding: 8px 8px 8px 16px; border-bottom: 1px solid var(--border); }
h2 { flex: 1; margin: 0; font-size: 1.05em; overflow-wrap: anywhere; }
.icon { width: 40px; padding: 0; display: grid; place-items: center; }
.scroll { flex: 1; min-height: 0; overflow-y: auto; padding: 12px 16px; }
.log { list-style: none; margin: 0; padding: 0; display: flex; flex-direction: column; gap: 8px; }
.said { margin-top: 8px; }
.turn { max-width: 85%; align-self: flex-start; width: fit-content; padding: 8px 12px; border-radius: var(--radius); background: var(--bubble); white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; }
.turn.user { align-self: flex-end; background: var(--accent); color: var(--accent-text); }
.turn.human { border: 1px solid var(--border); background: var(--surface); }
.turn a { color: inherit; text-decoration: underline; }
.turn :is(p, ul, ol, pre, blockquote) { margin: 0; }
.turn > * + :is(p, ul, ol, pre, blockquote, .wide), .turn li > * + * { margin-top: 8px; }
.turn > .who + * { margin-top: 0; }
.turn ul, .turn ol { padding-inline-start: 1.4em; }
.turn ul { list-style: disc; }
.turn ol { list-style: decimal; }
.turn blockquote { padding-inline-start: 10px; border-inline-start: 3px solid var(--border); }
.turn code { font: 0.92em ui-monospace, monospace; }
.turn pre, .wide { overflow-x: auto; }
.turn pre { white-space: pre; }
.turn hr { border: 0; border-top: 1px solid var(--border); }
.turn table { border-collapse: collapse; overflow-wrap: normal; }
.turn :is(th, td) { padding: 2px 8px 2px 0; text-align: start; border-bottom: 1px solid var(--border); }
.turn.user .note, .turn.user button { color: inherit; }
.coming { margin-top: 8px; }
.who { display: block; font-size: 0.85em; color: var(--muted); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.note { font-size: 0.85em; color: var(--muted); }
.link { padding: 0 4px; min-height: 24px; text-decoration: underline; border-radius: 4px; }
.welcome { margin: 0 0 8px; color: var(--muted); white-space: pre-wrap; overflow-wrap: anywhere; }
.state { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 8px; padding: 0 16px; font-size: 0.9em; color: var(--muted); }
.state > :not([hidden]) { padding-block: 6px; }
.trouble { margin: 0; padding: 8px 16px; color: var(--bad); font-size: 0.95em; }
.trouble .link { color: inherit; }
.line { display: flex; align-items: center; gap: 8px; padding: 8px 16px; border-top: 1px solid var(--border); }
.live { display: flex; flex: 1; align-items: center; gap: 8px; font-size: 0.9em; }
.dot { width: 10px; height: 10px; border-radius: 50%; background: #d92d20; animation: pulse 1.6s infinite; }
.muted .dot { background: var(--muted); animation: none; }
.meters { display: flex; flex: 1; flex-direction: column; gap: 4px; min-width: 32px; }
.meter { height: 5px; border-radius: 3px; background: var(--bubble); overflow: hidden; }
.meter i { display: block; height: 100%; background: var(--accent); transform: scaleX(0); transform-origin: 0 50%; transition: transform 80ms linear; }
.quiet { border: 1px solid var(--border); }
.bad { background: #b3261e; color: #fff; }
form { display: flex; align-items: flex-end; gap: 8px; padding: 8px 12px 12px; }
textarea { flex: 1; min-width: 0; min-height: 44px; max-height: 140px; padding: 9px 12px; resize: none; field-sizing: content; border: 1px solid var(--border); border-radius: var(--radius); background: var(--surface); color: var(--text); }
textarea::placeholder { color: var(--muted); opacity: 1; }
form .icon { width: 44px; min-height: 44px; }
.primary { background: var(--accent); color: var(--accent-text); }
.anew { margin: 0 12px 12px; }
@keyframes pulse { 50% { opacity: 0.35; } }
@media (max-width: 480px) {
  .panel { inset: var(--seen-top, 0px) 0 auto; width: 100%; max-width: none; height: var(--seen-height, 100dvh); max-height: none; border: 0; border-radius: 0; }
}
@media (prefers-reduced-motion: reduce) {
  * { animation: none !important; transition: none !important; }
}
@media (forced-colors: active) {
  .launcher, .turn, .primary { border: 1px solid; }
  .dot { forced-color-adjust: none; }
}
`;
