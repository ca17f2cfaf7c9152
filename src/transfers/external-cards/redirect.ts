import { notFound } from '../../kernel/errors';
import type { Services } from '../../services';
import { kindNameOf, readSituation } from '../engine/read';
import { payerLinks } from '../payer-link';
import { CARD_KINDS } from './kind';
import type { ExternalCardDetails } from './record';
import { findDetails } from './store';

const PATH = '/card-authentication/';
export const REDIRECT_PATH = `${PATH}{token}`;

export const redirectLinks = payerLinks('external-card-token', PATH);

/**
 * Target of a payer's address: the party's page while there is something to confirm, then the return URL.
 * @throws Problem 404 for an unknown token, and without a target
 */
export async function payerTarget(services: Services, token: string): Promise<string> {
  const details = await findDetails(services.database, { redirectHash: redirectLinks.hash(token) });
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
