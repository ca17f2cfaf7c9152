import { encode } from 'uqr';
import type { z } from 'zod';
import { Problem } from '../../../kernel/errors';
import { type Html, html } from '../../../kernel/wire/html';
import { parsedBy } from '../../../kernel/wire/schemas';
import type { DeskHttp } from '../../http/services';
import { linkToken, linkUse, MIN_SECRET } from '../../sign-in/link-input';
import { lookAtLink, type ShownLink, type UsedLink, useLink } from '../../sign-in/use-link';
import { timeOf } from '../render/cells';
import { documentOf, hidden, notice } from '../render/layout';
import type { Asking } from '../visit';
import type { Bare } from './sign-in-page';

/**
 * The page of a one-time link. The holder has no session, because he is invited or has lost his code generator. The
 * token is typed, or stands behind the `#` of the address, which no server gets.
 */
export const joinPage = (desk: DeskHttp): Bare => tokenPage(desk);

/** Shows what the link is for, or uses it. */
export async function joinByForm(desk: DeskHttp, { form }: Asking): Promise<Bare> {
  const token = (form.get('token') ?? '').trim();
  try {
    const link = await lookAtLink(desk, parsedBy(linkToken, { token }).token);
    if (form.get('step') !== 'use') return linkPage(desk, token, link);
    return await used(desk, { token, secret: form.get('secret') ?? '', code: form.get('code') ?? '' }, link);
  } catch (error) {
    if (error instanceof Problem) return tokenPage(desk, error);
    throw error;
  }
}

/** @throws Problem 404 once the link has ended */
async function used(
  desk: DeskHttp,
  { code, ...typed }: z.output<typeof linkUse>,
  link: ShownLink,
): Promise<Bare> {
  try {
    const given = parsedBy(linkUse, { ...typed, code: code.replaceAll(/\s/g, '') });
    return usedPage(desk, await useLink(desk, given));
  } catch (error) {
    if (error instanceof Problem && error.status !== 404) return linkPage(desk, typed.token, link, error);
    throw error;
  }
}

const bare = ({ mode }: DeskHttp, title: string, body: Html, status = 200): Bare => ({
  document: documentOf(
    title,
    html`<main id="main" class="sign-in">
<p class="brand">Cardwright <span class="mode ${mode}">${mode}</span></p>
<h1>${title}</h1>
${body}
</main>`,
  ),
  status,
});

const refusal = (refused: Problem | undefined): Html =>
  refused === undefined ? html`` : notice('bad', html`<p>${refused.message}</p>`);

const tokenPage = (desk: DeskHttp, refused?: Problem): Bare =>
  bare(
    desk,
    'Use a one-time link',
    html`${refusal(refused)}
<p>An operator has given you a link: to join, or to replace your code generator.</p>
<form method="post" action="/join" class="stack">
<div class="field"><label for="token">Token of the link</label>
<input id="token" name="token" required maxlength="200" autocomplete="off" autocapitalize="none" spellcheck="false" data-from-hash autofocus></div>
<button type="submit" class="first">Go on</button>
</form>
<p class="soft"><a href="/sign-in">Sign in</a></p>`,
    refused?.status,
  );

const TITLES = {
  invitation: 'Join as an operator',
  code_generator: 'Replace your code generator',
} as const;

function linkPage(desk: DeskHttp, token: string, link: ShownLink, refused?: Problem): Bare {
  const { purpose, name, codeGenerator, expiresAt } = link;
  const isNew = purpose === 'invitation';
  return bare(
    desk,
    TITLES[purpose],
    html`${refusal(refused)}
<p>You are <strong>${name}</strong>. The link ends at ${timeOf(expiresAt.toISOString(), 'UTC')}.</p>
<h2>1. Add the code generator to your app</h2>
<p class="qr">${qrCode(codeGenerator)}</p>
<p>Or type its key: <code class="key">${keyOf(codeGenerator)}</code></p>
<h2>2. ${isNew ? 'Choose a secret' : 'Prove who you are'}</h2>
<form method="post" action="/join" class="stack">
${hidden('token', token)}${hidden('step', 'use')}
<div class="field"><label for="secret">${isNew ? 'Your new secret' : 'Your secret'}</label>
<input id="secret" name="secret" type="password" required ${isNew ? html`minlength="${MIN_SECRET}" ` : undefined}maxlength="200" autocomplete="${isNew ? 'new-password' : 'current-password'}" aria-describedby="secret-hint">
<p class="hint" id="secret-hint">${isNew ? `${MIN_SECRET} characters at least. Keep it in a password manager.` : 'The one by which you sign in.'}</p></div>
<div class="field"><label for="code">One-time code</label>
<input id="code" name="code" inputmode="numeric" pattern="[0-9]{6}" maxlength="6" required autocomplete="one-time-code" aria-describedby="code-hint">
<p class="hint" id="code-hint">Six digits, which your app shows now.</p></div>
<button type="submit" class="first">${isNew ? 'Join' : 'Replace'}</button>
</form>`,
    refused?.status,
  );
}

/** The key in groups of four, as apps take it. */
const keyOf = (address: string): string =>
  (new URL(address).searchParams.get('secret') ?? '').replace(/.{4}(?=.)/g, '$& ');

/** Light modules around a code, by which a camera finds it. */
const QUIET = 4;

/** A QR code as one path, so that the page needs neither a script nor a picture. */
function qrCode(text: string): Html {
  const { data, size } = encode(text, { border: QUIET });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return html`<svg viewBox="0 0 ${size} ${size}" role="img" aria-label="QR code of the code generator" shape-rendering="crispEdges"><path d="${dark.join('')}"/></svg>`;
}

function usedPage(desk: DeskHttp, { operatorId, name, purpose }: UsedLink): Bare {
  const isNew = purpose === 'invitation';
  return bare(
    desk,
    isNew ? 'You have joined' : 'Your code generator is replaced',
    isNew
      ? html`${notice('good', html`<p>${name} is <code>${operatorId}</code>.</p>`)}
<p>Tell this id to another operator than the one who invited you. He admits you, and then you sign in.</p>
<p><a class="button" href="/sign-in">Sign in</a></p>`
      : html`${notice('good', html`<p>All sessions of ${name} have ended.</p>`)}
<p><a class="button" href="/sign-in">Sign in</a></p>`,
  );
}
