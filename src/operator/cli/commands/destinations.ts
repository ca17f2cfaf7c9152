import { type Command, Option } from 'commander';
import { show } from '../../../desk/cli/console';
import { othersDecide } from '../../../desk/operators/operations';
import {
  addDestination,
  listDestinations,
  waiveDestination,
} from '../../../transfers/exchange/destinations/operations';
import { statusAt, type WithdrawalDestination } from '../../../transfers/exchange/destinations/record';
import { withdrawalDestinationView } from '../../../transfers/exchange/destinations/view';
import { disableDestination } from '../../../transfers/exchange/withdrawals/disable-destination';
import type { Session } from '../../session';
import { currencyArgument, textArgument } from '../arguments';
import type { CommandContext } from '../context';
import { addListing } from '../listing';

interface AddOptions {
  client: string;
  currency: string;
  name: string;
  iban?: string;
  accountNumber?: string;
  bic?: string;
  country?: string;
  label?: string;
  json?: boolean;
}

/**
 * Commands for the bank accounts to which tenants withdraw from the exchange, an allow-list that only operators change.
 */
export function addDestinationCommands(program: Command, context: CommandContext): void {
  const group = program.command('destination').description('bank accounts that clients may withdraw to');
  addListing(group, context, {
    description: 'all of them, or those of one client; newest first',
    options: [new Option('--client <id>', 'of this tenant only')],
    load: async ({ database, now }, { client }: { client?: string }) =>
      (await listDestinations(database, { tenantId: client })).map((each) => viewOf(each, now())),
    columns: ['id', 'client', 'currency', 'label', 'account', 'status', 'active from'],
    row: ({ id, clientId, currency, label, destination, status, activeFrom }) => [
      ...[id, clientId, currency, label, destination.iban ?? destination.accountNumber, status, activeFrom],
    ],
  });
  addNew(group, context);
  addWaive(group, context);
  addDisable(group, context);
}

const viewOf = (found: WithdrawalDestination, at: Date) => ({
  ...withdrawalDestinationView(found, at),
  clientId: found.tenantId,
});

/** The part that the audit log keeps, without data of the account's owner. */
const audited = (found: WithdrawalDestination, at: Date) => ({
  currency: found.currency,
  status: statusAt(found, at),
  activeFrom: found.activeFrom.toISOString(),
});

function addNew(group: Command, { console, run }: CommandContext): void {
  group
    .command('add')
    .description('adds a bank account, which may be used 24 hours later')
    .requiredOption('--client <id>', 'the tenant')
    .requiredOption('--currency <code>', 'for instance EUR', currencyArgument)
    .requiredOption('--name <name>', 'whose account it is', textArgument(70))
    .option('--iban <iban>', 'checked', textArgument(60))
    .option('--account-number <number>', 'of an account without an IBAN: with its --bic', textArgument(60))
    .option('--bic <bic>', 'of the bank', textArgument(20))
    .option('--country <code>', 'of the bank, for instance US', textArgument(10))
    .option('--label <text>', 'what the client calls it', textArgument(100))
    .option('--json', 'print the destination as JSON')
    .action(({ client: tenantId, currency, label, json, ...bank }: AddOptions) =>
      run(async (session) => {
        const made = await session.change(
          (tx) => addDestination(session, tx, { tenantId, currency, bank, label, by: session.actor }),
          (added) => ({
            action: 'destination.add',
            subject: added.id,
            tenantId,
            after: audited(added, session.now()),
          }),
        );
        const { id, activeFrom } = made;
        const text = `${id} of ${tenantId} may be used from ${activeFrom.toISOString()} on.`;
        show(console, json, viewOf(made, session.now()), text);
      }),
    );
}

function addWaive(group: Command, { console, run }: CommandContext): void {
  group
    .command('waive <id>')
    .description(
      'lets a new one be used at once; where there are two operators, by another than who added it',
    )
    .option('--json', 'print the destination as JSON')
    .action((id: string, { json }: { json?: boolean }) =>
      run(async (session) => {
        const [at, by] = [session.now(), session.actor];
        const { after } = await session.change(
          async (tx) => waiveDestination(tx, { id, by, at, othersCan: await othersDecide(tx, by) }),
          (changed) => changeEntry('destination.waive', changed, at),
        );
        show(console, json, viewOf(after, at), `${id} may be used at once.`);
      }),
    );
}

function addDisable(group: Command, { console, run }: CommandContext): void {
  group
    .command('disable <id>')
    .description('for ever; withdrawals that the exchange has not been told of are cancelled')
    .option('--json', 'print { "destination", "cancelled" }')
    .action((id: string, { json }: { json?: boolean }) =>
      run(async (session: Session) => {
        const at = session.now();
        const { after, cancelled } = await session.change(
          (tx) => disableDestination(session, tx, { id, by: session.actor }),
          (changed) => changeEntry('destination.disable', changed, at, { cancelled: changed.cancelled }),
        );
        const told = cancelled.length === 0 ? '' : ` Cancelled: ${cancelled.join(', ')}.`;
        show(console, json, { destination: viewOf(after, at), cancelled }, `${id} is disabled.${told}`);
      }),
    );
}

const changeEntry = (
  action: string,
  { before, after }: Record<'before' | 'after', WithdrawalDestination>,
  at: Date,
  also: object = {},
) => ({
  action,
  subject: after.id,
  tenantId: after.tenantId,
  before: audited(before, at),
  after: { ...audited(after, at), ...also },
});
