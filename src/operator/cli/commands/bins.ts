import { type Command, Option } from 'commander';
import type { OpenedAccount } from '../../../accounts/accounts/operations';
import {
  addBin,
  admitToBin,
  type Bin,
  listBins,
  type ProgrammeLimits,
  setProgrammeLimits,
} from '../../../cards/programmes/operations';
import { binView } from '../../../cards/programmes/view';
import { show } from '../../../desk/cli/console';
import type { Tx } from '../../../kernel/db/database';
import { Decimal } from '../../../kernel/money/money';
import { requireTenant } from '../../../tenants/clients/operations';
import { countArgument, decimalArgument, repeated } from '../arguments';
import type { CommandContext } from '../context';
import { addListing } from '../listing';
import { openingEntry } from './oversight/accounts';
import { addBinChanges } from './oversight/bins';

interface LimitOptions {
  maxAuthorization?: Decimal;
  maxPerDay?: Decimal;
  maxPerMonth?: Decimal;
  blockMcc: string[];
  allowMcc: string[];
  blockCountry: string[];
  challengeEcommerce?: boolean;
  challengeAbove?: Decimal;
  homeCountry: string[];
  json?: boolean;
}

interface AddOptions extends LimitOptions {
  scheme: string;
  currency: string;
  model: 'B2B' | 'B2C';
  capacity: number;
  feeIssue: Decimal;
  feeTopup: Decimal;
  feeSettleFixed: Decimal;
  feeSettlePercent: Decimal;
  feeDecline: Decimal;
  markupPercent: Decimal;
  authorizationDays: number;
  admit: string[];
}

export function addBinCommands(program: Command, context: CommandContext): void {
  const group = program.command('bin').description('BINs and the programmes that run on them');
  addListing(group, context, {
    description: 'all BINs',
    load: async ({ database }) => (await listBins(database)).map(binView),
    columns: [
      ...['bin', 'scheme', 'currency', 'model', 'status'],
      ...['issue fee', 'top-up fee', 'settle fee', '+ percent', 'decline fee', 'capacity'],
    ],
    row: ({ bin, scheme, currency, providerCardHolderModel, status, fees, capacityPerCardholder }) => [
      ...[bin, scheme, currency, providerCardHolderModel, status],
      ...[
        fees.issue,
        fees.topUp,
        fees.settleFixed,
        `${fees.settlePercent} %`,
        fees.decline,
        capacityPerCardholder,
      ],
    ],
  });
  addNew(group, context);
  addAdmit(group, context);
  addBinChanges(group, context);
  addLimits(group, context);
}

function addNew(group: Command, { console, run }: CommandContext): void {
  const command = group
    .command('add <bin>')
    .description("a BIN and its programme; fees are in the BIN's currency");
  withProgramme(command)
    .option('--admit <client-id>', 'lets this tenant issue on it; may be repeated', repeated, [])
    .option('--json', 'print the BIN as JSON')
    .action((bin: string, given: AddOptions) =>
      run(async (session) => {
        const wanted = binOf(bin, given);
        await session.change(
          async (tx) => {
            await addBin(tx, wanted);
            const opened: OpenedAccount[] = [];
            for (const tenantId of given.admit) opened.push(await admit(tx, tenantId, bin));
            return opened;
          },
          (opened) => [
            { action: 'bin.add', subject: bin, after: { ...binView(wanted), admitted: given.admit } },
            ...opened.flatMap(openingEntry),
          ],
        );
        show(console, given.json, binView(wanted), `BIN ${bin} is added.`);
      }),
    );
}

/** Options of a BIN's programme. */
function withProgramme(command: Command): Command {
  const zero = new Decimal(0);
  const decimal = decimalArgument('a number such as 1.50');
  command
    .requiredOption('--scheme <scheme>', 'for instance visa')
    .requiredOption('--currency <code>', 'for instance USD')
    .addOption(
      new Option('--model <model>', 'how cardholders are created')
        .choices(['B2B', 'B2C'])
        .makeOptionMandatory(),
    )
    .option('--capacity <number>', 'cards a cardholder may have', countArgument, 10)
    .option('--fee-issue <amount>', 'for each card', decimal, zero)
    .option('--fee-topup <amount>', 'for each top-up', decimal, zero)
    .option('--fee-settle-fixed <amount>', 'once an authorization', decimal, zero)
    .option('--fee-settle-percent <percent>', 'of what is settled', decimal, zero)
    .option('--fee-decline <amount>', 'for each decline', decimal, zero)
    .option('--markup-percent <percent>', 'on the rate of other currencies', decimal, zero)
    .option('--authorization-days <days>', 'an open authorization is cancelled after', countArgument, 7);
  return withLimits(command);
}

/** Options that limit what each card of a programme spends. */
function withLimits(command: Command): Command {
  const decimal = decimalArgument('a number such as 1000.00');
  return command
    .option('--max-authorization <amount>', 'above it: declined with limit_exceeded', decimal)
    .option('--max-per-day <amount>', 'of each card, in a calendar day (UTC)', decimal)
    .option('--max-per-month <amount>', 'of each card, in a calendar month (UTC)', decimal)
    .option('--block-mcc <mcc>', 'declined with invalid_merchant; may be repeated', repeated, [])
    .option('--allow-mcc <mcc>', 'all others are declined; may be repeated', repeated, [])
    .option('--block-country <code>', 'such as GB, declined too; may be repeated', repeated, [])
    .option(
      '--challenge-ecommerce',
      'on the internet: declined with authentication_required without a challenge',
    )
    .option('--challenge-above <amount>', 'the same, above it', decimal)
    .option('--home-country <code>', 'the same, at merchants of others; may be repeated', repeated, []);
}

function addLimits(group: Command, { console, run }: CommandContext): void {
  const command = group
    .command('limits <bin>')
    .description('replaces what the programme allows each of its cards: what is not given is not bounded');
  withLimits(command)
    .option('--json', 'print { "bin", "limits" }')
    .action((bin: string, given: LimitOptions) =>
      run(async (session) => {
        const limits = limitsIn(given);
        const { before } = await session.change(
          (tx) => setProgrammeLimits(tx, bin, limits),
          ({ before }) => ({
            action: 'bin.limits',
            subject: bin,
            before: limitsShown(before),
            after: limitsShown(limits),
          }),
        );
        show(
          console,
          given.json,
          { bin, limits: limitsShown(limits), before: limitsShown(before) },
          `The limits of BIN ${bin} are set.`,
        );
      }),
    );
}

const limitsIn = (given: LimitOptions): ProgrammeLimits => ({
  maxAuthorization: given.maxAuthorization ?? null,
  maxPerDay: given.maxPerDay ?? null,
  maxPerMonth: given.maxPerMonth ?? null,
  blockedMccs: given.blockMcc,
  allowedMccs: given.allowMcc,
  blockedCountries: given.blockCountry,
  challengeEcommerce: given.challengeEcommerce ?? false,
  challengeAbove: given.challengeAbove ?? null,
  homeCountries: given.homeCountry,
});

const limitsShown = (limits: ProgrammeLimits) => ({
  maxAuthorization: limits.maxAuthorization?.toFixed() ?? null,
  maxPerDay: limits.maxPerDay?.toFixed() ?? null,
  maxPerMonth: limits.maxPerMonth?.toFixed() ?? null,
  blockedMccs: limits.blockedMccs,
  allowedMccs: limits.allowedMccs,
  blockedCountries: limits.blockedCountries,
  challengeEcommerce: limits.challengeEcommerce,
  challengeAbove: limits.challengeAbove?.toFixed() ?? null,
  homeCountries: limits.homeCountries,
});

function addAdmit(group: Command, { console, run }: CommandContext): void {
  group
    .command('admit <bin> <client-id>')
    .description('lets a tenant issue on a BIN; opens its account in the BIN’s currency where it has none')
    .option('--json', 'print { "bin", "clientId" }')
    .action((bin: string, clientId: string, { json }: { json?: boolean }) =>
      run(async (session) => {
        await session.change(
          (tx) => admit(tx, clientId, bin),
          (opened) => [{ action: 'bin.admit', subject: bin, tenantId: clientId }, ...openingEntry(opened)],
        );
        show(console, json, { bin, clientId }, `${clientId} may issue on ${bin}.`);
      }),
    );
}

async function admit(tx: Tx, tenantId: string, bin: string): Promise<OpenedAccount> {
  await requireTenant(tx, tenantId);
  return admitToBin(tx, tenantId, bin);
}

function binOf(bin: string, given: AddOptions): Bin {
  return {
    bin,
    scheme: given.scheme,
    currency: given.currency.toUpperCase(),
    model: given.model,
    status: 'active',
    capacityPerCardholder: given.capacity,
    fees: {
      issue: given.feeIssue,
      topUp: given.feeTopup,
      settleFixed: given.feeSettleFixed,
      settlePercent: given.feeSettlePercent,
      decline: given.feeDecline,
    },
    markupPercent: given.markupPercent,
    authorizationDays: given.authorizationDays,
    ...limitsIn(given),
    demo: false,
  };
}
