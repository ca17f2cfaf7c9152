import { Problem } from '../../../kernel/errors';
import { Html, html } from '../../../kernel/wire/html';
import type { DeskHttp } from '../../http/services';
import { cookieOf, endedCookie } from '../../sign-in/cookie';
import { endSession, signIn } from '../../sign-in/operations';
import { flag } from '../render/cells';
import { documentOf, hidden, notice } from '../render/layout';
import { type Asking, ownPath, type Redirect, type Visit, whole } from '../visit';

/** A document that is sent as it is, without the navigation. */
export interface Bare {
  document: string;
  status: number;
  headers?: Record<string, string>;
}

/** The wish of a person whose session had ended: a page, or a form that was filled in. */
export interface Wanted {
  to: string;
  /** The fields of the form, as they are sent. Absent for a page. */
  kept?: string | undefined;
}

export const wantedOf = (asking: Asking): Wanted => {
  if (asking.method === 'GET') return { to: ownPath(whole(asking)) };
  const fields = new URLSearchParams(asking.form);
  fields.delete('csrf');
  return { to: ownPath(whole(asking)), kept: fields.toString() };
};

const wantedIn = ({ form }: Asking): Wanted => ({
  to: ownPath(form.get('to')),
  kept: form.get('kept') ?? undefined,
});

/** @param refused why the last attempt was refused */
export function signInPage(desk: DeskHttp, wanted: Wanted, name = '', refused?: Problem): Bare {
  const { mode } = desk;
  const isKept = wanted.kept !== undefined;
  const told = refused
    ? notice('bad', html`<p>${refused.message}</p>`)
    : isKept
      ? notice(
          'busy',
          html`<p>Your session has ended. What you have filled in is kept: sign in, and go on.</p>`,
        )
      : undefined;
  const document = documentOf(
    'Sign in',
    html`<main id="main" class="sign-in">
<p class="brand">Cardwright <span class="mode ${mode}">${mode}</span></p>
<h1>Sign in to the desk</h1>
${told}
<form method="post" action="/sign-in" class="stack">
${hidden('to', wanted.to)}${wanted.kept === undefined ? undefined : hidden('kept', wanted.kept)}
<div class="field"><label for="name">Name</label>
<input id="name" name="name" value="${name}" required maxlength="100" autocomplete="username" autocapitalize="none" spellcheck="false"${focus(name === '')}></div>
<div class="field"><label for="secret">Secret</label>
<input id="secret" name="secret" type="password" required maxlength="200" autocomplete="current-password"${focus(name !== '')}></div>
<div class="field"><label for="code">One-time code</label>
<input id="code" name="code" inputmode="numeric" pattern="[0-9]{6}" maxlength="6" autocomplete="one-time-code" aria-describedby="code-hint"${mode === 'live' ? new Html(' required') : undefined}>
<p class="hint" id="code-hint">${mode === 'live' ? 'Six digits of your code generator.' : 'Six digits, if you have a code generator.'}</p></div>
<button type="submit" class="first">Sign in</button>
</form>
<p class="soft beneath"><a href="/join">Use a one-time link</a></p>
</main>`,
  );
  return { document, status: refused?.status ?? (isKept ? 401 : 200) };
}

const focus = (isFocused: boolean): Html => new Html(isFocused ? ' autofocus' : '');

/** Begins a session, and leads to what the operator wanted. A form is never carried out here: it is shown again. */
export async function signInByForm(desk: DeskHttp, asking: Asking): Promise<Bare | Redirect> {
  const wanted = wantedIn(asking);
  const { form, address } = asking;
  const name = form.get('name') ?? '';
  try {
    const given = {
      name: name.slice(0, 100),
      secret: (form.get('secret') ?? '').slice(0, 200),
      code: form.get('code')?.replace(/\s/g, '').slice(0, 20) || undefined,
      transport: 'cookie',
      address,
    } as const;
    const { token, csrfToken } = await signIn(desk, given);
    const headers = { 'set-cookie': cookieOf(desk, token) };
    if (wanted.kept === undefined) return { to: wanted.to, headers };
    const fields = new URLSearchParams(wanted.kept);
    const document = keptForm({ to: wanted.to, fields, csrfToken, title: 'You are signed in', isSent: true });
    return { document, status: 200, headers };
  } catch (error) {
    if (error instanceof Problem) return signInPage(desk, wanted, name, error);
    throw error;
  }
}

interface Kept {
  to: string;
  fields: URLSearchParams;
  csrfToken: string;
  title: string;
  /** Whether our script sends it by itself. */
  isSent: boolean;
}

/** A form that is sent again, by our script or by its button. The step `again` makes each page show it and do nothing. */
const keptForm = ({ to, fields, csrfToken, title, isSent }: Kept): string =>
  documentOf(
    title,
    html`<main id="main" class="sign-in">
<h1>${title}</h1>
<p>What you had filled in is kept.</p>
<form method="post" action="${to}"${flag('data-send', isSent)}>
${[...fields].filter(([name]) => !['csrf', 'step'].includes(name)).map(([name, value]) => hidden(name, value))}
${hidden('step', 'again')}${hidden('csrf', csrfToken)}
<button type="submit" class="first">Go on</button>
</form>
</main>`,
  );

/** The form of an earlier session, whose operator has signed in meanwhile. */
export const keptAgain = (visit: Visit): Bare => ({
  document: keptForm({
    to: ownPath(whole(visit)),
    fields: visit.form,
    csrfToken: visit.operator.csrfToken,
    title: 'This form is of an earlier session',
    isSent: false,
  }),
  status: 403,
});

export async function signOut({ desk, operator }: Visit): Promise<Redirect> {
  await desk.database.transaction((tx) => endSession(tx, operator, desk.clock()));
  return { to: '/sign-in', headers: { 'set-cookie': endedCookie(desk) } };
}

/**
 * Asks for the same page once more. A link of another site, such as Temporal's UI, comes without the session's cookie,
 * and the same request of our own page comes with it.
 */
export const onceMore = (asking: Asking): Bare => ({
  document: documentOf(
    'One moment',
    html`<main id="main" class="sign-in"><h1>One moment</h1><p><a href="${whole(asking)}">Go on</a></p></main>`,
    html`<meta http-equiv="refresh" content="0;url=${whole(asking)}">`,
  ),
  status: 200,
});
