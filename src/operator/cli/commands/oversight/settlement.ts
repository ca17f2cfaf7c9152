import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Decimal, formatAmount } from '../../../../kernel/money/money';
import { PARTY_NAMES, partyNamed, SETTLED_PARTIES, type SettledParty } from '../../../../kernel/parties';
import { type PartyBalance, partyBalances } from '../../../../transfers/settlement/balances';
import { SETTLEMENT_MOVES, type SettlementMoveKind } from '../../../../transfers/settlement/record';
import { decideOrAsk } from '../../../approvals/operations';
import { currencyArgument, decimalArgument, reasonArgument } from '../../arguments';
import type { CommandContext } from '../../context';
import { groupOf } from '../../groups';
import { addListing } from '../../listing';
import { tellOutcome } from '../outcome';

const NAMES = SETTLED_PARTIES.map((party) => PARTY_NAMES[party]).join(', ');

function partyArgument(text: string): SettledParty {
  const party = SETTLED_PARTIES.find((each) => each === partyNamed(text));
  if (!party) throw new InvalidArgumentError(`It takes ${NAMES}.`);
  return party;
}

interface MoveOptions {
  party: SettledParty;
  currency: string;
  amount: Decimal;
  as: SettlementMoveKind;
  reason: string;
  json?: boolean;
}

const AFTER = `
  funding     money that we pay the party, from the treasury
  withdrawal  money that the party pays us, to the treasury
  write-off   what the party owes us and does not pay, such as a fee that it keeps, to losses
  surplus     what the party has paid and did not owe, or does not ask for, from losses

Of all parties but the exchange, a write-off is no more than the party owes us, and a surplus no more than we owe the party.

At the exchange, book funding before it leaves, and a withdrawal once it has left. A write-off is no more than is short by the last
check. What a check of the settlement finds beyond our books pays the orders that wait: in the other order, our own money would.
While funding travels, as much of what the exchange has paid keeps orders waiting. For some seconds after a withdrawal no check
is made.`;

/**
 * Commands that show the debts between each party and us and book their payments (decisions part 3, one account per
 * party).
 */
export function addSettlementCommands(program: Command, context: CommandContext): void {
  const group = groupOf(program, 'settlement', 'what each party owes us, and what it has paid');
  addBalances(group, context);
  addMove(group, context);
}

interface ListOptions {
  party?: SettledParty;
  currency?: string;
}

function addBalances(group: Command, context: CommandContext): void {
  addListing<PartyBalance, ListOptions>(group, context, {
    description: 'what each party owes us by our books, below zero what we owe it',
    options: [
      new Option('--party <name>', NAMES).argParser(partyArgument),
      new Option('--currency <code>', 'for instance USD').argParser(currencyArgument),
    ],
    load: ({ database }, { party, currency }) =>
      partyBalances(database, {
        ...(party && { parties: [party] }),
        ...(currency && { currencies: [currency] }),
      }),
    columns: ['party', 'currency', 'booked', 'reported', 'as of'],
    row: (balance) => Object.values(balanceView(balance)),
    view: balanceView,
  });
}

const balanceView = ({ party, currency, booked, reported, asOf }: PartyBalance) => ({
  party: PARTY_NAMES[party],
  currency,
  booked: formatAmount(booked, currency),
  reported: reported && formatAmount(reported, currency),
  asOf: asOf && asOf.toISOString(),
});

function addMove(group: Command, { console, run }: CommandContext): void {
  group
    .command('move')
    .description('books money that no transfer has moved; above the limit another operator must approve it')
    .requiredOption('--party <name>', NAMES, partyArgument)
    .requiredOption('--currency <code>', 'for instance USD', currencyArgument)
    .requiredOption('--amount <amount>', 'more than zero', decimalArgument('an amount such as 10.00'))
    .addOption(new Option('--as <kind>', 'what it is').choices(SETTLEMENT_MOVES).makeOptionMandatory())
    .requiredOption('--reason <text>', 'kept with it', reasonArgument)
    .option('--json', 'print { "referenceId", "party", "currency", "amount", "as" }, or { "approval" }')
    .addHelpText('after', AFTER)
    .action(({ party, currency, amount, as, reason, json }: MoveOptions) =>
      run(async (session) => {
        const terms = { party, currency, amount: amount.toFixed(), as };
        const outcome = await decideOrAsk(session, 'settlement.move', terms, reason);
        await tellOutcome(console, json, outcome, (value) => ({
          value,
          text: `${formatAmount(amount, currency)} ${currency} is booked as ${as} of ${PARTY_NAMES[party]}.`,
        }));
      }),
    );
}
