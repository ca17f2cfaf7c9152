import type { Command } from 'commander';
import { show } from '../../../desk/cli/console';
import { formatAmount } from '../../../kernel/money/money';
import { StartupError } from '../../../kernel/startup-error';
import { type IbanFee, unpaidFees } from '../../../transfers/iban/fees/operations';
import {
  disableIban,
  enableIban,
  listVirtualIbans,
  type VirtualIban,
} from '../../../transfers/iban/virtual-ibans/capability';
import { SANDBOX_RANGE } from '../../../transfers/iban/virtual-ibans/iban-number';
import { reasonArgument } from '../arguments';
import type { CommandContext } from '../context';
import { addListing } from '../listing';

const LISTED = 200;

export function addIbanCommands(program: Command, context: CommandContext): void {
  const group = program.command('iban').description('virtual IBANs of companies');
  addListing(group, context, {
    description: 'all of them',
    load: async ({ database }) => (await listVirtualIbans(database)).map(viewOf),
    columns: ['id', 'company', 'iban', 'bic', 'status'],
    row: ({ id, companyId, iban, bic, status }) => [id, companyId, iban, bic, status],
  });
  addSwitch(group, context, 'enable', 'gives a company its virtual IBAN, or gives it back');
  addSwitch(group, context, 'disable', 'takes it away: calls answer 403, what comes in waits in suspense');
  addListing(group, context, {
    name: 'fees',
    description: `monthly fees that are unpaid, the oldest first; at most ${LISTED}`,
    load: async ({ database }) => (await unpaidFees(database, null, LISTED)).map(feeViewOf),
    columns: ['iban', 'company', 'month', 'amount', 'attempts'],
    row: (fee) => [fee.virtualIbanId, fee.companyId, fee.month, `${fee.amount} EUR`, fee.attempts],
  });
}

const viewOf = ({ id, tenantId, iban, bic, status }: VirtualIban) => ({
  id,
  companyId: tenantId,
  iban,
  bic,
  status,
});

const feeViewOf = ({ virtualIbanId, tenantId, month, amount, attempts }: IbanFee) => ({
  virtualIbanId,
  companyId: tenantId,
  month,
  amount: formatAmount(amount, 'EUR'),
  attempts,
});

function addSwitch(
  group: Command,
  { console, run }: CommandContext,
  verb: 'enable' | 'disable',
  description: string,
): void {
  group
    .command(`${verb} <company>`)
    .description(description)
    .option('--reason <text>', 'kept in the audit log', reasonArgument)
    .option('--json', 'print the virtual IBAN as JSON')
    .action((company: string, { reason, json }: { reason?: string; json?: boolean }) =>
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
            action: `iban.${verb}`,
            subject: id,
            tenantId,
            after: { status, changed, reason },
          }),
        );
        show(console, json, viewOf(iban), `${iban.iban} of ${company} is ${iban.status}.`);
      }),
    );
}
