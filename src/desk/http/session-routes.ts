import { z } from 'zod';
import type { Presented } from '../../http/app';
import { Reply, type Route, route } from '../../http/route';
import type { Verdict } from '../../kernel/caller';
import { PERMISSIONS } from '../../kernel/permissions';
import { cookieOf, endedCookie, tokenOf } from '../sign-in/cookie';
import { endSession, noSession, operatorOfSession, signIn } from '../sign-in/operations';
import { RATE_LIMIT } from '../sign-in/rate-limit';
import { TRANSPORTS } from '../sign-in/record';
import { DECODE_PATH } from './payload-routes';
import type { DeskHttp } from './services';

const sessionSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    permissions: z.array(z.enum(PERMISSIONS)),
    token: z.string().optional().meta({ description: 'For `authorization: Bearer …`, shown once.' }),
    csrfToken: z
      .string()
      .optional()
      .meta({ description: 'For the header `x-csrf-token` of a browser’s requests that change something.' }),
  })
  .meta({ id: 'Session' });

export function sessionRoutes(desk: DeskHttp): Route[] {
  return [
    route({
      method: 'POST',
      path: '/desk/v1/sessions',
      tag: 'Sessions',
      summary: 'Sign in',
      description:
        'A session lasts 12 h and ends after 30 min of rest. After five failures in a row from an address, a name waits ' +
        '1 s there, doubled up to 15 min. An installation may shorten the rest, and lock the name there for longer.',
      role: 'public',
      body: z.strictObject({
        name: z.string().min(1).max(100),
        secret: z.string().min(1).max(200),
        code: z.string().max(20).optional().meta({ description: 'One-time code of six digits.' }),
        transport: z
          .enum(TRANSPORTS)
          .default('bearer')
          .meta({ description: '`cookie` sets an HTTP-only cookie and returns no token.' }),
      }),
      status: 201,
      response: sessionSchema,
      problems: ['unauthorized', 'forbidden', 'rate_limited'],
      idempotency: 'ignored',
      prepare: ({ body, address }) => signIn(desk, { ...body, address }),
      async write(_, { body: { transport } }, { id, name, permissions, token, csrfToken }) {
        if (transport === 'bearer') return { id, name, permissions, token };
        const cookie = cookieOf(desk, token);
        return new Reply(201, { id, name, permissions, csrfToken }, { 'set-cookie': cookie });
      },
    }),
    route({
      method: 'DELETE',
      path: '/desk/v1/sessions/current',
      role: 'operator',
      tag: 'Sessions',
      summary: 'Sign out',
      status: 204,
      idempotency: 'ignored',
      async write(tx, { caller }) {
        const { credentialId: sessionId, tenantId: actor } = caller;
        await endSession(tx, { sessionId, actor }, desk.clock());
        return new Reply(204, undefined, { 'set-cookie': endedCookie(desk) });
      },
    }),
  ];
}

/** Authenticates an operator by the token of a session, in the header or in the cookie. @throws Problem 401, 403 */
export const createDeskAuthenticator =
  (desk: DeskHttp) =>
  async ({ method, path, header }: Presented): Promise<Verdict> => {
    const presented = tokenOf(header);
    if (!presented) throw noSession();
    // Temporal's UI asks by itself whenever its page is open.
    const isAutomatic = path === DECODE_PATH;
    const changes = !isAutomatic && !['GET', 'HEAD', 'OPTIONS'].includes(method);
    const csrf = changes ? { csrfToken: header('x-csrf-token') } : {};
    const {
      actor: tenantId,
      sessionId,
      permissions,
      session,
    } = await operatorOfSession(desk, { ...presented, ...csrf, isAutomatic });
    const caller = {
      tenantId,
      role: 'admin',
      reach: null,
      credentialId: sessionId,
      permissions,
      session,
    } as const;
    return { caller, rateLimit: RATE_LIMIT, scopes: null };
  };
