import { createHash, createHmac } from 'node:crypto';
import type { Services } from '../../services';
import type { ExternalCardTransaction } from './record';

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
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

export const redirectHash = (deps: Pick<Services, 'keyring'>, id: string): Buffer =>
  hashToken(redirectToken(deps, id));

/** Our own address, which leads the payer to the party's page. */
export function redirectUrl(
  deps: Pick<Services, 'keyring' | 'publicUrl'>,
  { id }: Pick<ExternalCardTransaction, 'id'>,
): string {
  return deps.publicUrl() + PATH + redirectToken(deps, id);
}
