import type { Command } from 'commander';
import { type OpenedAccount, openMasterAccount } from '../../../../accounts/accounts/operations';
import { show } from '../../../../desk/cli/console';
import type { Decimal } from '../../../../kernel/money/money';
import { requireTenant } from '../../../../tenants/clients/operations';
import { closeAccount } from '../../../../transfers/close-account';
import { decideOrAsk } from '../../../approvals/operations';
import type { ChangeEntry } from '../../../session';
import { currencyArgument, decimalArgument, reasonArgument, textArgument } from '../../arguments';
import type { CommandContext } from '../../context';
import { groupOf } from '../../groups';
import { tellOutcome } from '../outcome';

/**
 * Commands that open master accounts, close accounts, and correct balances against the outside world. Corrections above
 * the limit need another operator's approval.
 */
export function addAccountCommands(program: Command, context: CommandContext): void {
  const group = groupOf(program, 'account', 'accounts of tenants and their users');
  addOpen(group, context);
  addClose(group, context);
  addCorrection(group, context, 'deposit', 'credits an account by hand');
  addCorrection(group, context, 'withdraw', 'debits an account by hand');
  addOfframp(group, context);
}

function addOpen(group: Command, { console, run }: CommandContext): void {
  group
    .command('open')
    .description("opens a tenant's master account in a currency or an asset, or tells the one that exists")
    .requiredOption('--client <id>', 'the tenant')
    .requiredOption('--currency <code>', 'for instance CHF, or USDT', currencyArgument)
    .option('--json', 'print { "accountId", "clientId", "currency", "opened" }')
    .action(({ client, currency, json }: { client: string; currency: string; json?: boolean }) =>
      run(async (session) => {
        const { account, opened } = await session.change(async (tx) => {
          await requireTenant(tx, client);
          return openMasterAccount(tx, client, currency);
        }, openingEntry);
        const told = { accountId: account.id, clientId: client, currency, opened };
        const text = opened ? 'is opened' : 'is open already';
        show(console, json, told, `${account.id}, in ${currency} of ${client}, ${text}.`);
      }),
    );
}

function addClose(group: Command, { console, run }: CommandContext): void {
  group
    .command('close <id>')
    .description('closes an account for good: it is empty, and nothing is open on it')
    .requiredOption('--reason <text>', 'kept with it', reasonArgument)
    .option('--json', 'print { "accountId", "clientId", "currency", "status" }')
    .action((id: string, { reason, json }: { reason: string; json?: boolean }) =>
      run(async (session) => {
        const { tenantId, currency, status } = await session.change(
          (tx) => closeAccount(tx, id, session.now()),
          (account) => ({
            action: 'account.close',
            subject: id,
            tenantId: account.tenantId,
            before: { status: 'active' },
            after: { status: account.status, reason },
          }),
        );
        const told = { accountId: id, clientId: tenantId, currency, status };
        show(console, json, told, `${id}, in ${currency} of ${tenantId}, is closed.`);
      }),
    );
}

/** Audit entry of a master account that was opened. Empty when the account existed. */
export const openingEntry = ({ account, opened }: OpenedAccount): ChangeEntry[] =>
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

function addCorrection(
  group: Command,
  { console, run }: CommandContext,
  verb: 'deposit' | 'withdraw',
  description: string,
): void {
  group
    .command(`${verb} <id>`)
    .description(`${description}; above the limit another operator must approve it`)
    .requiredOption(
      '--amount <amount>',
      'in its currency, for instance 10.00',
      decimalArgument('an amount such as 10.00'),
    )
    .requiredOption('--reason <text>', 'kept with it', reasonArgument)
    .option('--json', 'print the account transaction, or { "approval" }')
    .action(
      (accountId: string, { amount, reason, json }: { amount: Decimal; reason: string; json?: boolean }) =>
        run(async (session) => {
          const terms = { accountId, amount: amount.toFixed() };
          const outcome = await decideOrAsk(session, `account.${verb}`, terms, reason);
          await tellOutcome(console, json, outcome, (value) => ({ value, text: `${accountId}: done.` }));
        }),
    );
}

function addOfframp(group: Command, { console, run }: CommandContext): void {
  group
    .command('offramp <id>')
    .description('offramp-deposit by hand; above the limit another operator must approve it')
    .requiredOption(
      '--amount <amount>',
      'in its currency, for instance 10.00',
      decimalArgument('an amount such as 10.00'),
    )
    .requiredOption('--reference <text>', 'the off-ramp’s own, once', textArgument(200))
    .requiredOption('--reason <text>', 'kept with it', reasonArgument)
    .option('--json', 'print the account transaction, or { "approval" }')
    .action((accountId: string, { amount, reference, reason, json }: OfframpOptions) =>
      run(async (session) => {
        const terms = { accountId, amount: amount.toFixed(), reference };
        const outcome = await decideOrAsk(session, 'account.offramp', terms, reason);
        await tellOutcome(console, json, outcome, (value) => ({ value, text: `${accountId}: done.` }));
      }),
    );
}

interface OfframpOptions {
  amount: Decimal;
  reference: string;
  reason: string;
  json?: boolean;
}
