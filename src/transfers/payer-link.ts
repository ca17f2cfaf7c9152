import { createHash, createHmac } from 'node:crypto';
import { madeAt } from '../kernel/ids';
import type { Services } from '../services';

/**
 * Our addresses that lead a payer to the party's page.
 *
 * Their tokens have 256 bits and are derived from an installation's key. So the database stores only a hash, and the same
 * address can be shown again.
 * @param path start of the address; the token follows
 */
export function payerLinks(purpose: 'checkout-token' | 'external-card-token', path: string) {
  const token = ({ keyring }: Pick<Services, 'keyring'>, id: string): string =>
    createHmac('sha256', keyring.secretFor('payer-links', madeAt(id)))
      .update(`${purpose} ${id}`)
      .digest('base64url');
  /** Lookup key of a token. */
  const hash = (given: string): Buffer => createHash('sha256').update(given).digest();
  return {
    token,
    hash,
    hashFor: (deps: Pick<Services, 'keyring'>, id: string): Buffer => hash(token(deps, id)),
    url: (deps: Pick<Services, 'keyring' | 'publicUrl'>, id: string): string =>
      deps.publicUrl() + path + token(deps, id),
  };
}
