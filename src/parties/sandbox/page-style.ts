import { createHash } from 'node:crypto';
import { Html, html } from '../../kernel/wire/html';

/** Readable from 320 px on, contrasts of at least 4.5:1, targets of at least 44 px. */
export const STYLE = `
:root { color-scheme: light; --ink: #14202e; --soft: #4c5a6b; --line: #c9d2dc; --tint: #eef3f8; --deep: #0b5cad; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--tint); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
main { max-width: 28rem; margin: 0 auto; padding: 1rem; }
.card { background: #fff; border: 1px solid var(--line); border-radius: 12px; padding: 1.25rem; margin-bottom: 1rem; }
h1 { font-size: 1.125rem; font-weight: 600; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 1.5rem 0 .5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
h2:first-of-type { border-top: 0; padding-top: 0; margin-top: .75rem; }
p { margin: 0 0 .75rem; }
.amount { font-size: 2.25rem; line-height: 1.2; font-weight: 700; margin: 0 0 .5rem; overflow-wrap: anywhere;
  font-variant-numeric: tabular-nums; }
.soft { color: var(--soft); font-size: .9375rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 1rem 0; font-size: .9375rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
form { margin: 0 0 .75rem; }
div.card > form:last-child { margin-bottom: 0; }
label { display: block; font-weight: 600; font-size: .9375rem; margin: .75rem 0 .25rem; }
label.check { display: flex; gap: .6rem; align-items: center; min-height: 44px; font-weight: 400; margin: .25rem 0; }
input[type=checkbox] { width: 1.25rem; height: 1.25rem; margin: 0; flex: none; }
input[type=text], select { width: 100%; min-height: 44px; padding: .5rem .75rem; font: inherit; color: inherit;
  background: #fff; border: 1px solid #6b7a8c; border-radius: 8px; }
button, a.button { display: block; width: 100%; min-height: 48px; padding: .7rem 1rem; font: inherit; font-weight: 600;
  text-align: center; text-decoration: none; overflow-wrap: anywhere; border-radius: 8px; border: 1px solid var(--deep); cursor: pointer; }
button.main, a.main { background: var(--deep); color: #fff; }
button.other { background: #fff; color: var(--deep); }
form button { margin-top: .75rem; }
div.card > form button { margin-top: 0; }
:focus-visible { outline: 3px solid #b35900; outline-offset: 2px; }
.state { border-left: 4px solid var(--deep); background: var(--tint); padding: .75rem 1rem; border-radius: 4px;
  margin: 0 0 1rem; }
.error { border-left-color: #b3261e; background: #fdecea; }
details.card { padding-block: .5rem; }
details[open].card { padding-bottom: 1.25rem; }
summary { cursor: pointer; font-weight: 600; min-height: 44px; display: flex; align-items: center; gap: .5rem; }
summary::before { content: "+"; width: 1rem; text-align: center; }
details[open] summary::before { content: "\\2212"; }
summary::-webkit-details-marker { display: none; }
footer { color: var(--soft); font-size: .875rem; text-align: center; padding: 0 .5rem 1.5rem; }
`;

/** A page of a party. The page loads nothing and runs no script. */
export function pageDocument(title: string, body: Html, footer: string): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
${body}
</main>
<footer>${footer}</footer>
</body>
</html>
`.text;
}

/**
 * Policy of a page that loads and runs nothing. Its one style is named by hash. The return address is listed, because
 * browsers apply `form-action` to redirects as well.
 */
export function contentSecurityPolicy(returnUrl: string | undefined): string {
  const hash = createHash('sha256').update(STYLE).digest('base64');
  return [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    `form-action 'self'${originOf(returnUrl)}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The origin of an address. Empty where it could be read as a part of the policy. */
function originOf(url: string | undefined): string {
  const origin = url === undefined ? '' : new URL(url).origin;
  return /^https?:\/\/[a-z0-9.:-]+$/.test(origin) ? ` ${origin}` : '';
}
