import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../../kernel/caller';
import type { Html } from '../../kernel/wire/html';
import type { Asker } from '../decide';
import type { DeskHttp } from '../http/services';
import type { SignedInOperator } from '../sign-in/operations';

/** A request of a browser, before anybody is known to be signed in. */
export interface Asking {
  method: 'GET' | 'POST';
  path: string;
  /** Named parts of the path. */
  params: Record<string, string>;
  query: URLSearchParams;
  /** The fields of a form. Empty for GET. */
  form: URLSearchParams;
  headers: IncomingHttpHeaders;
  address: string;
  requestId: string;
}

/** A request of an operator who is signed in. */
export interface Visit extends Asking {
  desk: DeskHttp;
  operator: SignedInOperator;
  /** The product's time, by which rows wait. */
  now: Date;
}

/** What a page is made of. The layout adds the rest. */
export interface Page {
  title: string;
  body: Html;
  status?: number;
  headers?: Record<string, string>;
  /** The entry of the navigation that the page belongs to. */
  place?: string;
}

/** A page that sends the browser elsewhere. */
export interface Redirect {
  to: string;
  headers?: Record<string, string>;
}

export const askerOfVisit = ({ operator: { actor, session }, requestId }: Visit): Asker => ({
  actor,
  session,
  requestId,
});

/** The operator as a caller of operations, as the HTTP face has it. */
export const callerOf = ({ operator }: Pick<Visit, 'operator'>): Caller => ({
  tenantId: operator.actor,
  role: 'admin',
  reach: null,
  credentialId: operator.sessionId,
  permissions: operator.permissions,
});

export const may = ({ operator }: Pick<Visit, 'operator'>, permission = 'view'): boolean =>
  (operator.permissions as string[]).includes(permission);

export const header = ({ headers }: Pick<Asking, 'headers'>, name: string): string => {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? '';
};

/** Whether htmx asks for a part of a page. */
export const isPart = (asking: Pick<Asking, 'headers'>): boolean => header(asking, 'hx-request') === 'true';

export const whole = ({ path, query }: Pick<Asking, 'path' | 'query'>): string =>
  query.size === 0 ? path : `${path}?${query.toString()}`;

/** A path of this console. Any other text becomes the overview, so that no link leads a person elsewhere. */
export const ownPath = (text: string | null): string =>
  text !== null && /^\/(?![/\\])[^\\\p{Cc}]*$/u.test(text) && !text.startsWith('/sign-') ? text : '/';
