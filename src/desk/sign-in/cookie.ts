import type { SignInDeps } from './operations';
import type { Transport } from './record';
import { SESSION_MS } from './rules';

const COOKIE = 'cardwright_desk';

/** The cookie that holds a session's token. Live browsers send it over TLS only. */
export const cookieOf = (deps: Pick<SignInDeps, 'mode'>, token: string): string =>
  cookieFor(deps, token, Math.floor(SESSION_MS / 1000));

/** Makes the browser forget the token. */
export const endedCookie = (deps: Pick<SignInDeps, 'mode'>): string => cookieFor(deps, '', 0);

const cookieFor = ({ mode }: Pick<SignInDeps, 'mode'>, token: string, seconds: number): string =>
  `${COOKIE}=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${mode === 'live' ? '; Secure' : ''}`;

/** The token that a request presents, in the header or in the cookie. */
export function tokenOf(
  header: (name: string) => string,
): { token: string; transport: Transport } | undefined {
  const [, bearer] = /^Bearer ([\w-]{1,200})$/.exec(header('authorization')) ?? [];
  if (bearer !== undefined) return { token: bearer, transport: 'bearer' };
  const [, cookie] = new RegExp(`(?:^|; )${COOKIE}=([\\w-]{1,200})`).exec(header('cookie')) ?? [];
  return cookie === undefined ? undefined : { token: cookie, transport: 'cookie' };
}
