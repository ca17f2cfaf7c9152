import type { Command } from 'commander';
import { formatAmount } from '../../../kernel/money/money';
import { StartupError } from '../../../kernel/startup-error';
import { unpaidFees } from '../../../transfers/iban/fees/operations';
import {
  disableIban,
  enableIban,
  listVirtualIbans,
  type VirtualIban,
} from '../../../transfers/iban/virtual-ibans/capability';
import { SANDBOX_RANGE } from '../../../transfers/iban/virtual-ibans/iban-number';
import { show, table } from '../console';
import type { Operator } from '../context';

const LISTED = 200;

export function addIbanCommands(program: Command, operator: Operator): void {
  const group = program.command('iban').description('virtual IBANs of companies');
  addList(group, operator);
  addTurn(group, operator, 'enable', 'gives a company its virtual IBAN, or gives it back');
  addTurn(group, operator, 'disable', 'takes it away: calls answer 403, what comes in waits in suspense');
  addFees(group, operator);
}

const recordOf = ({ id, tenantId, iban, bic, status }: VirtualIban) => ({
  ...{ id, companyId: tenantId, iban, bic, status },
});

function addList(group: Command, { console, run }: Operator): void {
  group
    .command('list')
    .description('all of them')
    .option('--json', 'print a JSON array')
    .action(({ json }: { json?: boolean }) =>
      run(async ({ database }) => {
        const ibans = (await listVirtualIbans(database)).map(recordOf);
        const rows = ibans.map(({ id, companyId, iban, bic, status }) => [id, companyId, iban, bic, status]);
        show(console, json, ibans, table(['id', 'company', 'iban', 'bic', 'status'], rows));
      }),
    );
}

function addTurn(
  group: Command,
  { console, run }: Operator,
  verb: 'enable' | 'disable',
  description: string,
): void {
  group
    .command(`${verb} <company>`)
    .description(description)
    .option('--json', 'print the virtual IBAN as JSON')
    .action((company: string, { json }: { json?: boolean }) =>
      run(async (session) => {
        const { iban } = await session.change(
          async (tx) => {
            if (verb === 'disable') return disableIban(tx, company, session.now());
            if (!session.sandbox)
              throw new StartupError(
                'There is no range of IBANs: a bank must give one (docs/architecture.md).',
              );
            return enableIban(tx, SANDBOX_RANGE, company, session.now());
          },
          ({ iban: { id, tenantId, status }, changed }) => ({
            ...{ action: `iban.${verb}`, subject: id, tenantId, after: { status, changed } },
          }),
        );
        show(console, json, recordOf(iban), `${iban.iban} of ${company} is ${iban.status}.`);
      }),
    );
}

function addFees(group: Command, { console, run }: Operator): void {
  group
    .command('fees')
    .description(`monthly fees that are unpaid, the oldest first; at most ${LISTED}`)
    .option('--json', 'print a JSON array')
    .action(({ json }: { json?: boolean }) =>
      run(async ({ database }) => {
        const fees = (await unpaidFees(database, null, LISTED)).map(
          ({ virtualIbanId, tenantId, month, amount, attempts }) => ({
            ...{ virtualIbanId, companyId: tenantId, month, amount: formatAmount(amount, 'EUR'), attempts },
          }),
        );
        const rows = fees.map((fee) => [
          ...[fee.virtualIbanId, fee.companyId, fee.month, `${fee.amount} EUR`, String(fee.attempts)],
        ]);
        show(console, json, fees, table(['iban', 'company', 'month', 'amount', 'attempts'], rows));
      }),
    );
}
