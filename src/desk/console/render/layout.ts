import { Html, html } from '../../../kernel/wire/html';
import { MAX_SEARCH, MIN_SEARCH } from '../../search';
import type { Page, Visit } from '../visit';
import { ASSETS } from './assets';
import { capital, flag } from './cells';

/** No script and no style beside our own files, nothing from another host, and no frame. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The address of the page is told to this console alone, because its check of a form's origin needs it. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'referrer-policy': 'same-origin',
};

/** htmx evaluates no text, keeps no page in the browser, and shows refusals as any other page. */
const HTMX = JSON.stringify({
  allowEval: false,
  allowScriptTags: false,
  includeIndicatorStyles: false,
  historyCacheSize: 0,
  selfRequestsOnly: true,
  responseHandling: [
    { code: '204', swap: false },
    { code: '[2345]..', swap: true },
  ],
});

/** The whole document, as text. */
export const documentOf = (title: string, body: Html, head: Html = html``): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="htmx-config" content="${HTMX}">
<title>${title} · Cardwright desk</title>
<link rel="icon" type="image/svg+xml" href="${ASSETS.icon}">
<link rel="stylesheet" href="${ASSETS.style}">
<script defer src="${ASSETS.htmx}"></script>
<script defer src="${ASSETS.localTime}"></script>
<script defer src="${ASSETS.script}"></script>
${head}</head>
<body>
${body}
</body>
</html>
`.text;

const MAIN = [
  { place: 'overview', title: 'Overview', path: '/' },
  { place: 'work', title: 'Work', path: '/work' },
  { place: 'records', title: 'Records', path: '/records' },
  { place: 'approvals', title: 'Approvals', path: '/approvals' },
  { place: 'desks', title: 'Desks', path: '/desks' },
];

export const deskPath = (name: string): string => `/desks/${encodeURIComponent(name)}`;

/** A page with the navigation, the search, and the operator. */
export function pageOf(visit: Visit, { title, body, place }: Page): string {
  const { desk, operator } = visit;
  const { mode, catalogue } = desk;
  const link = (to: { place: string; title: string; path: string }) =>
    html`<li><a href="${to.path}"${current(place === to.place)}>${to.title}</a></li>`;
  const desks = catalogue.desks.map(({ name, title: shown }) =>
    link({ place: `desk:${name}`, title: capital(shown), path: deskPath(name) }),
  );
  return documentOf(
    title,
    html`<a class="skip" href="#main">Skip to the content</a>
<header class="side">
<p class="brand"><a href="/">Cardwright</a> <span class="mode ${mode}">${mode}</span></p>
<form class="search" method="post" action="/records" role="search" aria-label="All records">${csrfField(visit)}
<label class="hidden" for="search">Id, reference, e-mail or last four digits</label>
<input id="search" name="q" type="search" placeholder="Search  ( / )" autocomplete="off" spellcheck="false" required minlength="${MIN_SEARCH}" maxlength="${MAX_SEARCH}">
</form>
<nav aria-label="Main"><ul class="main-links">${MAIN.map(link)}</ul>
<h2 class="nav-title" id="desks-title">Desks</h2>
<ul class="desk-links" aria-labelledby="desks-title">${desks}</ul></nav>
<form class="who" method="post" action="/sign-out">
${csrfField(visit)}<span class="name">${operator.name}</span><button class="plain" type="submit">Sign out</button>
</form>
</header>
<main id="main" tabindex="-1">
${body}
</main>`,
  );
}

const current = (isCurrent: boolean): Html => new Html(isCurrent ? ' aria-current="page"' : '');

export const csrfField = ({ operator }: Pick<Visit, 'operator'>): Html => hidden('csrf', operator.csrfToken);

export const hidden = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}">`;

/** A message above a page's content. */
export const notice = (tone: 'bad' | 'good' | 'busy', content: Html): Html =>
  html`<div class="notice ${tone}"${flag('role="alert"', tone === 'bad')}>${content}</div>`;

/** The title of a page, and what stands beside it. */
export const heading = (title: Html | string, beside: Html = html``): Html =>
  html`<div class="heading"><h1 tabindex="-1">${title}</h1>${beside}</div>`;
