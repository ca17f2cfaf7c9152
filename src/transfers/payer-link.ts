import { createHash, createHmac } from 'node:crypto';
import type { Services } from '../services';

/**
 * Addresses of ours that lead a payer to the party's page. Their tokens are 256 bits that nobody can guess without the master
 * key; they are derived, so that the database need keep no more than a hash, and the address can be shown again and again.
 * @param path of the address: a token follows
 */
export function payerLinks(purpose: 'checkout-token' | 'external-card-token', path: string) {
  const token = ({ keyring }: Pick<Services, 'keyring'>, id: string): string =>
    createHmac('sha256', keyring.secretFor(purpose)).update(id).digest('base64url');
  /** What a token is found by. */
  const hash = (given: string): Buffer => createHash('sha256').update(given).digest();
  return {
    token,
    hash,
    hashFor: (deps: Pick<Services, 'keyring'>, id: string): Buffer => hash(token(deps, id)),
    url: (deps: Pick<Services, 'keyring' | 'publicUrl'>, id: string): string =>
      deps.publicUrl() + path + token(deps, id),
  };
}
