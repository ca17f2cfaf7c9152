import { forbidden, Problem } from '../../kernel/errors';
import { isEqual } from '../../kernel/security/is-equal';
import type { DeskHttp } from '../http/services';
import { tokenOf } from '../sign-in/cookie';
import { operatorOfSession } from '../sign-in/operations';
import { type Asking, header, type Visit } from './visit';

/** A page asks for itself again under this name of a field, which does not lengthen the session. */
export const AUTOMATIC = 'refresh';

/**
 * Requires that a form was sent by a page of this console. The session's cookie never comes with another site's form,
 * but a form that waits for its operator to sign in has no cookie either.
 * @throws Problem 403
 */
export function assertOwnForm(asking: Asking): void {
  const site = header(asking, 'sec-fetch-site');
  const type = header(asking, 'content-type');
  const isOwn = site === '' ? originIsHost(asking) : site === 'same-origin';
  if (!isOwn || !/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type))
    throw forbidden('This form was not sent by a page of the desk.');
}

/** For browsers that send no `sec-fetch-site`, because the desk has no TLS. */
function originIsHost(asking: Asking): boolean {
  try {
    return new URL(header(asking, 'origin')).host === header(asking, 'host');
  } catch {
    return false;
  }
}

/** The visit of an operator who is signed in. Undefined without a live session. */
export async function visitOf(desk: DeskHttp, asking: Asking): Promise<Visit | undefined> {
  const presented = tokenOf((name) => (name === 'cookie' ? header(asking, name) : ''));
  if (!presented) return undefined;
  try {
    const isAutomatic = asking.query.has(AUTOMATIC);
    const operator = await operatorOfSession(desk, { ...presented, isAutomatic });
    return { ...asking, desk, operator, now: desk.now() };
  } catch (error) {
    if (error instanceof Problem && error.status === 401) return undefined;
    throw error;
  }
}

/** Whether a form has the session's CSRF token. A form of an earlier session has not. */
export const hasToken = ({ method, form, operator }: Visit): boolean =>
  method === 'GET' || isEqual(form.get('csrf') ?? '', operator.csrfToken);
