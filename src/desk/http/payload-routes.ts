import { z } from 'zod';
import type { CrossOrigin } from '../../http/cross-origin';
import { type Route, route } from '../../http/route';
import { createPayloadReader } from '../../kernel/temporal/codec';
import { assertPermitted } from '../permitted';
import type { DeskHttp } from './services';

const BEGINNING = '/desk/v1/temporal/';
/** Reads only, although Temporal's UI sends it by POST. Hence its requests need no CSRF token, which the UI does not have. */
export const DECODE_PATH = `${BEGINNING}decode`;

/** Pages of Temporal's UI may call the paths of this file, with the session's cookie. */
export const uiOrigin = (uiUrl: string | undefined): CrossOrigin => ({
  path: BEGINNING,
  origin: uiUrl === undefined ? undefined : new URL(uiUrl).origin,
  headers: ['content-type', 'x-namespace', 'authorization'],
});

const base64 = z.string().regex(/^[\w+/]*={0,2}$/, 'must be base64');

const payloads = z.object({
  payloads: z
    .array(z.looseObject({ metadata: z.record(z.string(), base64).optional(), data: base64.optional() }))
    .max(10_000)
    .meta({ description: 'Payloads as Temporal stores them, each with metadata and data in base64.' }),
});

/** The "remote codec endpoint" of Temporal's UI. There is none to encode, because the desk decides and the UI only shows. */
export function payloadRoute({ keyring }: Pick<DeskHttp, 'keyring'>): Route {
  const read = createPayloadReader(keyring);
  return route({
    method: 'POST',
    path: DECODE_PATH,
    tag: 'Temporal',
    role: 'operator',
    summary: 'Open payloads of Temporal',
    description:
      "Set the address without `/decode` as the remote codec endpoint of Temporal's UI, with credentials. The UI shows payloads " +
      'to an operator whose browser is signed in at the desk. A payload that was changed is refused.',
    body: payloads,
    response: payloads,
    problems: ['unauthorized', 'forbidden'],
    read: async ({ caller, body }) => {
      assertPermitted(caller);
      return { payloads: read(body.payloads) };
    },
  });
}
