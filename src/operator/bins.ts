import { type Command, InvalidArgumentError, Option } from 'commander';
import { addBin, admitToBin, type Bin, listBins } from '../cards/programmes/operations';
import { binView } from '../cards/programmes/view';
import { DECIMAL_TEXT, Decimal } from '../kernel/money/money';
import { requireTenant } from '../tenants/clients/operations';
import { show, table } from './console';
import type { Operator } from './operator';

interface AddOptions {
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
  maxAuthorization?: Decimal;
  blockMcc: string[];
  admit: string[];
  json?: boolean;
}

export function addBinCommands(program: Command, operator: Operator): void {
  const group = program.command('bin').description('BINs and the programmes that run on them');
  addList(group, operator);
  addNew(group, operator);
  addAdmit(group, operator);
}

function addList(group: Command, { console, run }: Operator): void {
  group
    .command('list')
    .description('all BINs')
    .option('--json', 'print a JSON array')
    .action(({ json }: { json?: boolean }) =>
      run(async ({ database }) => {
        const bins = (await listBins(database)).map(binView);
        const rows = bins.map((bin) => [
          ...[bin.bin, bin.scheme, bin.currency, bin.providerCardHolderModel, bin.status],
          ...[bin.fees.issue, bin.fees.topUp, bin.fees.settleFixed, `${bin.fees.settlePercent} %`],
          bin.fees.decline,
        ]);
        const fees = ['issue fee', 'top-up fee', 'settle fee', '+ percent', 'decline fee'];
        show(console, json, bins, table(['bin', 'scheme', 'currency', 'model', 'status', ...fees], rows));
      }),
    );
}

function addNew(group: Command, { console, run }: Operator): void {
  const zero = new Decimal(0);
  group
    .command('add <bin>')
    .description("a BIN and its programme; fees are in the BIN's currency")
    .requiredOption('--scheme <scheme>', 'for instance visa')
    .requiredOption('--currency <code>', 'for instance USD')
    .addOption(
      new Option('--model <model>', 'how cardholders are created')
        .choices(['B2B', 'B2C'])
        .makeOptionMandatory(),
    )
    .option('--capacity <number>', 'cards a cardholder may have', whole, 10)
    .option('--fee-issue <amount>', 'for each card', decimal, zero)
    .option('--fee-topup <amount>', 'for each top-up', decimal, zero)
    .option('--fee-settle-fixed <amount>', 'once an authorization', decimal, zero)
    .option('--fee-settle-percent <percent>', 'of what is settled', decimal, zero)
    .option('--fee-decline <amount>', 'for each decline', decimal, zero)
    .option('--markup-percent <percent>', 'on the rate of other currencies', decimal, zero)
    .option('--authorization-days <days>', 'an open authorization is cancelled after', whole, 7)
    .option('--max-authorization <amount>', 'above it: declined with limit_exceeded', decimal)
    .option('--block-mcc <mcc>', 'declined with invalid_merchant; may be repeated', collected, [])
    .option('--admit <client-id>', 'lets this tenant issue on it; may be repeated', collected, [])
    .option('--json', 'print the BIN as JSON')
    .action((bin: string, given: AddOptions) =>
      run(async (session) => {
        const wanted = binOf(bin, given);
        await session.change(
          async (tx) => {
            await addBin(tx, wanted);
            for (const tenantId of given.admit) await admit(tx, tenantId, bin);
          },
          () => ({
            action: 'bin.add',
            subject: bin,
            after: { ...binView(wanted), admitted: given.admit },
          }),
        );
        show(console, given.json, binView(wanted), `BIN ${bin} is added.`);
      }),
    );
}

function addAdmit(group: Command, { console, run }: Operator): void {
  group
    .command('admit <bin> <client-id>')
    .description('lets a tenant issue on a BIN')
    .option('--json', 'print { "bin", "clientId" }')
    .action((bin: string, clientId: string, { json }: { json?: boolean }) =>
      run(async (session) => {
        await session.change(
          (tx) => admit(tx, clientId, bin),
          () => ({ action: 'bin.admit', subject: bin, tenantId: clientId }),
        );
        show(console, json, { bin, clientId }, `${clientId} may issue on ${bin}.`);
      }),
    );
}

async function admit(tx: Parameters<typeof admitToBin>[0], tenantId: string, bin: string): Promise<void> {
  await requireTenant(tx, tenantId);
  await admitToBin(tx, tenantId, bin);
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
    maxAuthorization: given.maxAuthorization ?? null,
    blockedMccs: given.blockMcc,
    demo: false,
  };
}

function decimal(text: string): Decimal {
  if (!DECIMAL_TEXT.test(text)) throw new InvalidArgumentError('It takes a number such as 1.50.');
  return new Decimal(text);
}

function whole(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It takes a whole number from 1.');
  return Number(text);
}

const collected = (text: string, before: string[]) => [...before, text];
