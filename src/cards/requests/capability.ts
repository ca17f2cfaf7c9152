import { requireAccount } from '../../accounts/accounts/operations';
import type { Sql } from '../../kernel/db/database';
import { requireUser } from '../../people/users/operations';
import { disabledBinsOf, listAdmittedBins } from '../programmes/operations';

/** Reasons why no card can be issued. */
export const REASONS = [
  'bin_not_admitted',
  'account_closed',
  'account_currency',
  'user_blocked',
  'bin_closed',
  'bin_disabled',
] as const;

export interface Admission {
  /** Whether `client`, `source` and `programme` all hold. */
  admitted: boolean;
  /** Whether the tenant is admitted to the BIN. */
  client: boolean;
  /** Whether the account is open, has the BIN's currency, and its user is active. */
  source: boolean;
  /** Whether the BIN is open and not disabled for the user. */
  programme: boolean;
  reasons: (typeof REASONS)[number][];
}

/** Whether a card of a BIN could be issued on an account. @throws Problem 404 for the account */
export async function issueAdmission(
  sql: Sql,
  reach: string | null,
  asked: { accountId: string; bin: string },
): Promise<Admission> {
  const account = await requireAccount(sql, reach, asked.accountId, 'accountId');
  const user = account.userId === null ? undefined : await requireUser(sql, account.tenantId, account.userId);
  const bin = (await listAdmittedBins(sql, account.tenantId)).find((each) => each.bin === asked.bin);
  const disabled = user && (await disabledBinsOf(sql, [user.id])).get(user.id);
  const against = {
    client: [bin === undefined && 'bin_not_admitted'],
    source: [
      account.status === 'closed' && 'account_closed',
      bin !== undefined && bin.currency !== account.currency && 'account_currency',
      user?.status === 'blocked' && 'user_blocked',
    ],
    programme: [bin?.status === 'closed' && 'bin_closed', disabled?.has(asked.bin) && 'bin_disabled'],
  } as const;
  const reasons = Object.values(against)
    .flat()
    .filter((reason) => typeof reason === 'string');
  const stands = (part: keyof typeof against) => against[part].every((reason) => !reason);
  return {
    admitted: reasons.length === 0,
    client: stands('client'),
    source: stands('source'),
    programme: stands('client') && stands('programme'),
    reasons,
  };
}
