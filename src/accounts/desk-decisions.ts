import { z } from 'zod';
import type { Tx } from '../kernel/db/database';
import { currency, identifier } from '../kernel/wire/schemas';
import { type Decision, decision, installation } from '../process/desk/decision';
import type { Services } from '../services';
import { requireTenant } from '../tenants/clients/operations';
import { CORRECTIONS, corrected, OFFRAMP } from './accounts/decisions';
import { findMasterAccount, lockAccount, openMasterAccount } from './accounts/operations';
import type { Account } from './accounts/record';

export interface AccountDecisionServices extends Pick<Services, 'now'> {
  /** Closes an account that is empty, with nothing open on it (src/transfers/close-account.ts). @throws Problem 409 */
  closeAccount(tx: Tx, id: string, at: Date): Promise<Account>;
  /** @throws Problem as `closeAccount` */
  assertClosable(tx: Tx, account: Account): Promise<void>;
}

export const accountDecisions = (services: AccountDecisionServices): Decision[] => [
  opening,
  closing(services),
  decision(CORRECTIONS.deposit),
  decision(CORRECTIONS.withdraw),
  decision(OFFRAMP),
];

/** In upper or lower case. */
const typedCurrency = z.string().toUpperCase().pipe(currency());

const opening = decision<object, { client: string; currency: string }>({
  name: 'account.open',
  title: "opens a tenant's master account in a currency or an asset, or tells the one that exists",
  permission: 'money',
  subject: installation,
  reason: 'optional',
  input: z.strictObject({
    client: identifier('cli_01jz0000000000000000000000').meta({ description: 'Id of the tenant.' }),
    currency: typedCurrency,
  }),
  restsOn: () => ({}),
  async preview(tx, { input: { client, currency: code } }) {
    await requireTenant(tx, client);
    const master = await findMasterAccount(tx, client, code);
    const open = master?.status === 'active' ? master.id : null;
    return [{ field: `account in ${code}`, from: open, to: open ?? 'a new one' }];
  },
  async execute(tx, { input: { client, currency: code } }) {
    await requireTenant(tx, client);
    const { account, opened } = await openMasterAccount(tx, client, code);
    return {
      about: { id: account.id, tenantId: client },
      after: { currency: code, opened },
      result: { accountId: account.id, clientId: client, currency: code, opened },
    };
  },
});

/** The audit entry of a master account that another decision has opened. Empty when the account existed. */
export const openedBeside = ({ account, opened }: { account: Account; opened: boolean }) =>
  opened
    ? [
        {
          action: 'account.open',
          subject: account.id,
          tenantId: account.tenantId,
          after: { currency: account.currency },
        },
      ]
    : [];

const closing = ({ now, closeAccount, assertClosable }: AccountDecisionServices): Decision =>
  decision<Account>({
    name: 'account.close',
    title: 'closes an account for good: it is empty, and nothing is open on it',
    permission: 'money',
    // Operations that move its money hold a share lock of its row, so closing waits for them.
    subject: { ...corrected, lock: (tx, id) => lockAccount(tx, null, id) },
    restsOn: ({ status }) => ({ status }),
    async preview(tx, { subject }) {
      await assertClosable(tx, subject);
      return [{ field: 'status', from: subject.status, to: 'closed' }];
    },
    async execute(tx, { id, subject }) {
      const { tenantId, currency: code, status } = await closeAccount(tx, id, now());
      return {
        before: { status: subject.status },
        after: { status },
        result: { accountId: id, clientId: tenantId, currency: code, status },
      };
    },
  });
