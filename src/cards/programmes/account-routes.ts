import { z } from 'zod';
import { listAccounts } from '../../accounts/accounts/operations';
import { accountListQuery } from '../../accounts/accounts/routes';
import { accountSchema, accountViews } from '../../accounts/accounts/view';
import { type Route, route } from '../../http/route';
import { CAPABILITIES } from '../../kernel/capabilities';
import type { Sql } from '../../kernel/db/database';
import { idPage, pageById } from '../../kernel/wire/id-pages';
import { pageSchema } from '../../kernel/wire/pages';
import type { Services } from '../../services';
import { disabledBinsOf, listAdmittedBins } from './operations';
import { capabilitiesOf, enabledBins, type Reached } from './rules';
import { binSchema, binView } from './view';

const TAG = 'Accounts';

export interface AccountProgrammeServices extends Services {
  hasVirtualIban(sql: Sql, companyId: string): Promise<boolean>;
  /** For each capability, those of the given currencies that it supports. */
  currenciesReached(tenantId: string, currencies: readonly string[]): Promise<Reached>;
}

/** Routes that tell which cards can be issued on a tenant's accounts (`interface.md 4.1`, Accounts). */
export function accountProgrammeRoutes(services: AccountProgrammeServices): Route[] {
  return [settingsRoute(services), listWithBinsRoute(services)];
}

function settingsRoute(services: AccountProgrammeServices): Route {
  const { database, switches, hasVirtualIban, currenciesReached } = services;
  return route({
    method: 'GET',
    path: '/v1/client/settings',
    tag: TAG,
    summary: 'Settings of your accounts',
    description:
      'Lists the master accounts with the operations that are possible on them now. A capability that the operator or the ' +
      'installation has switched off is missing. `card_issuing` needs an open BIN of the currency. `deposit` and `payout` ' +
      'need an option for the currency. `exchange` needs a rate of the currency, or an exchange that takes orders and ' +
      'withdrawals. `crypto` needs an enabled network.',
    response: z
      .object({
        clientId: z.string(),
        accounts: z.array(
          z.object({
            accountId: z.string(),
            currency: z.string(),
            capabilities: z.array(z.enum(CAPABILITIES)),
          }),
        ),
      })
      .meta({ id: 'ClientSettings' }),
    async read({ caller: { tenantId } }) {
      const [accounts, admitted, hasIban, states] = await Promise.all([
        listAccounts(database, tenantId, { ownerType: 'client' }),
        listAdmittedBins(database, tenantId),
        hasVirtualIban(database, tenantId),
        Promise.all(CAPABILITIES.map((capability) => switches.capability(capability, tenantId))),
      ]);
      const reached = await currenciesReached(
        tenantId,
        accounts.map(({ currency }) => currency),
      );
      const on = CAPABILITIES.filter((_, index) => states[index] === 'on');
      return {
        clientId: tenantId,
        accounts: accounts.map((account) => ({
          accountId: account.id,
          currency: account.currency,
          capabilities: capabilitiesOf(account, { on, admitted, hasIban, reached }),
        })),
      };
    },
  });
}

function listWithBinsRoute({ database }: Services): Route {
  return route({
    method: 'GET',
    path: '/v2/accounts',
    tag: TAG,
    summary: 'Accounts with enabled BINs',
    description: 'Lists your accounts, newest first, each with the BINs on which its cards can be issued.',
    query: accountListQuery,
    response: pageSchema(accountSchema.extend({ bins: z.array(binSchema) }).meta({ id: 'AccountWithBins' })),
    async read({ caller: { tenantId }, query }) {
      const { page, limit, filter } = idPage(query, 'account');
      const accounts = await listAccounts(database, tenantId, filter, page);
      const users = accounts.flatMap(({ userId }) => userId ?? []);
      const [records, admitted, disabled] = await Promise.all([
        accountViews(database, accounts),
        listAdmittedBins(database, tenantId),
        disabledBinsOf(database, users),
      ]);
      return pageById(records, limit, (record) => ({
        ...record,
        bins: enabledBins(record, admitted, disabled.get(record.userId ?? '')).map(binView),
      }));
    },
  });
}
