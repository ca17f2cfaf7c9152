import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Html, html } from '../html';

/**
 * The shell of every page outside of the desk: pages for payers and testers, and error pages. A page loads nothing. The
 * document holds its style, and one script only if it shows a time. The policy names both by hash.
 */

export interface PageContent {
  title: string;
  body: Html;
  /** A line below the content. */
  footer?: string;
  /** The last address to which a form of the page leads. Browsers apply `form-action` to redirects as well. */
  returnUrl?: string | null;
}

export interface WebPage {
  document: string;
  /** The type, and the policy of this document. Other headers are those of every answer. */
  headers: { 'content-type': string; 'content-security-policy': string };
}

const fileOf = (name: string): string => readFileSync(join(__dirname, name), 'utf8');

/** Without comments and line breaks, because each page holds it. */
const STYLE = fileOf('page.css')
  .replace(/\/\*.*?\*\//gs, '')
  .replace(/\s+/g, ' ')
  .trim();
export const LOCAL_TIME = fileOf('local-time.js');

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const STYLE_HASH = hashOf(STYLE);
const LOCAL_TIME_HASH = hashOf(LOCAL_TIME);

export function webPage({ title, body, footer, returnUrl }: PageContent): WebPage {
  const hasTime = body.text.includes('<time ');
  const policy = [
    "default-src 'none'",
    `style-src ${STYLE_HASH}`,
    ...(hasTime ? [`script-src ${LOCAL_TIME_HASH}`] : []),
    `form-action 'self'${originOf(returnUrl)}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  const document = html`<!doctype html>
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
${footer === undefined ? undefined : html`<footer>${footer}</footer>`}
${hasTime ? html`<script>${new Html(LOCAL_TIME)}</script>` : undefined}
</body>
</html>
`.text;
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
  };
  return { document, headers };
}

/** A page that tells one thing. */
export const messagePage = ({
  text,
  ...given
}: Omit<PageContent, 'body'> & { text: Html | string }): WebPage =>
  webPage({ ...given, body: html`<div class="card"><h1>${given.title}</h1><p>${text}</p></div>` });

/** `2026-03-01 12:00 UTC`. The script of the page adds the local time. */
export const pageTime = (at: Date): Html =>
  html`<time datetime="${at.toISOString()}">${at.toISOString().slice(0, 16).replace('T', ' ')} UTC</time>`;

/** The origin of an address. Empty where it could be read as a part of the policy. */
function originOf(url: string | null | undefined): string {
  const origin = url === undefined || url === null ? '' : new URL(url).origin;
  return /^https?:\/\/[a-z0-9.:-]+$/.test(origin) ? ` ${origin}` : '';
}
