import type { Command } from 'commander';
import { show } from '../../../../desk/cli/console';
import { cancelOrder } from '../../../../transfers/exchange/orders/decide';
import { exchangeOrderView } from '../../../../transfers/exchange/orders/view';
import { reasonArgument } from '../../arguments';
import type { CommandContext } from '../../context';

/** Commands for exchange orders that the exchange never received (decisions part 4, Exchange). */
export function addExchangeOrderCommands(program: Command, { console, run }: CommandContext): void {
  program
    .command('exchange-order')
    .description(
      'exchange orders that the exchange has not had: while it is stopped, or the client is disabled',
    )
    .command('cancel <id>')
    .description('releases what is held; refused once the exchange may have it')
    .requiredOption('--reason <text>', 'kept with the decision', reasonArgument)
    .option('--json', 'print the order as JSON')
    .action((orderId: string, { reason, json }: { reason: string; json?: boolean }) =>
      run(async (session) => {
        const { after } = await session.change(
          (tx) => cancelOrder(session, tx, { orderId, reason, decidedBy: session.actor }),
          ({ before, after: now }) => ({
            action: 'exchange-order.cancel',
            subject: orderId,
            tenantId: now.transfer.tenantId,
            before: { status: before.transfer.status },
            after: { status: now.transfer.status, reason },
          }),
        );
        show(console, json, exchangeOrderView(after), `${orderId} is ${after.transfer.status}.`);
      }),
    );
}
