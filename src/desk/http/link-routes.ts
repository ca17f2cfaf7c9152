import { z } from 'zod';
import { type Route, route } from '../../http/route';
import { linkToken, linkUse } from '../sign-in/link-input';
import { lookAtLink, useLink } from '../sign-in/use-link';
import type { DeskHttp } from './services';

const purpose = z.enum(['invitation', 'code_generator']);

/** One-time links, whose holders have no session. The token is in the body, so that no log holds it. */
export const linkRoutes = (desk: DeskHttp): Route[] => [
  route({
    method: 'POST',
    path: '/desk/v1/links/look',
    tag: 'Links',
    summary: 'What a one-time link is for, with the new code generator',
    role: 'public',
    body: linkToken,
    response: z.object({
      purpose,
      name: z.string(),
      expiresAt: z.string(),
      codeGenerator: z.string().meta({ description: 'Address of the code generator, for an app.' }),
    }),
    problems: ['not_found'],
    async read({ body }) {
      const { expiresAt, ...link } = await lookAtLink(desk, body.token);
      return { ...link, expiresAt: expiresAt.toISOString() };
    },
  }),
  route({
    method: 'POST',
    path: '/desk/v1/links/use',
    tag: 'Links',
    summary: 'Use a one-time link: become an operator, or replace a lost code generator',
    description: 'Another operator then admits the new one. Ten wrong secrets or codes end the link.',
    role: 'public',
    body: linkUse,
    status: 201,
    response: z.object({ operatorId: z.string(), name: z.string(), purpose }),
    problems: ['unauthorized', 'not_found', 'invalid_transition'],
    idempotency: 'ignored',
    prepare: ({ body }) => useLink(desk, body),
    write: async (_, __, used) => used,
  }),
];
