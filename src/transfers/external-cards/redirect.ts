import { createHash, createHmac } from 'node:crypto';
import { notFound } from '../../kernel/errors';
import type { Services } from '../../services';
import { kindNameOf, readSituation } from '../engine/read';
import { CARD_KINDS } from './kind';
import type { ExternalCardDetails } from './record';
import { findByRedirect } from './store';

const PATH = '/card-authentication/';
export const REDIRECT_PATH = `${PATH}{token}`;

/**
 * The token of the payer's way to the party's page: 256 bits that nobody can guess without the master key. It is
 * derived, so that the database need keep no more than its hash.
 */
function redirectToken({ keyring }: Pick<Services, 'keyring'>, id: string): string {
  return createHmac('sha256', keyring.secretFor('external-card-token')).update(id).digest('base64url');
}

/** What a token is found by. */
const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

export const redirectHash = (deps: Pick<Services, 'keyring'>, id: string): Buffer =>
  hashToken(redirectToken(deps, id));

/** Our own address, which leads the payer to the party's page. */
export const redirectUrl = (deps: Pick<Services, 'keyring' | 'publicUrl'>, id: string): string =>
  deps.publicUrl() + PATH + redirectToken(deps, id);

/**
 * Where the payer who follows our address is sent: to the party's page while there is something to confirm, then to
 * where he came from.
 * @throws Problem 404 for a token that is none, and when there is nowhere to send him
 */
export async function payersWay(services: Services, token: string): Promise<string> {
  const details = await findByRedirect(services.database, hashToken(token));
  if (!details) throw notFound('page');
  const { id, actionUrl, returnUrl } = details;
  if (actionUrl && (await isAsked(services, details)))
    return services.keyring.sealer('external-cards').open(actionUrl, id).toString('utf8');
  if (returnUrl === null) throw notFound('page');
  return returnUrl;
}

/** Whether the payer can still confirm. */
async function isAsked({ database, now }: Services, { id }: ExternalCardDetails): Promise<boolean> {
  const name = await kindNameOf(database, id);
  const kind = Object.values(CARD_KINDS).find((each) => each.name === name);
  const found = kind && (await readSituation(database, kind, id, now()));
  const { status, terms } = found?.transfer ?? {};
  return status === 'requires_action' && terms !== undefined && terms.actionExpiresAt > now();
}
