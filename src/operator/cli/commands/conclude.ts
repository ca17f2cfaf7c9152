import type { Command } from 'commander';
import type { CardConclusion } from '../../../cards/orders/conclude';
import { isId } from '../../../kernel/ids';
import type { Conclusion } from '../../../transfers/engine/conclusion';
import { decideOrAsk } from '../../approvals/operations';
import { conclusionArgument, reasonArgument } from '../arguments';
import type { CommandContext } from '../context';
import { tellOutcome } from './outcome';

interface ConcludeOptions {
  as: Conclusion | CardConclusion;
  evidence: string;
  json?: boolean;
}

/** The command that ends what a party never ends. */
export function addConclude(program: Command, { console, run }: CommandContext): void {
  program
    .command('conclude <id>')
    .description(
      'ends a transfer or a card order that its party never ends, until the party says something else',
    )
    .requiredOption(
      '--as <outcome>',
      'a transfer: paid or failed; a card: failed or closed',
      conclusionArgument,
    )
    .requiredOption('--evidence <text>', 'what you have seen; kept with the decision', reasonArgument)
    .option('--json', 'print { "transferId" or "cardId", "status" }, or { "approval" }')
    .action((id: string, { as, evidence, json }: ConcludeOptions) =>
      run(async (session) => {
        const outcome = isId('card', id)
          ? await decideOrAsk(session, 'card-order.conclude', { cardId: id, as }, evidence)
          : await decideOrAsk(session, 'transfer.conclude', { transferId: id, as }, evidence);
        await tellOutcome(console, json, outcome, (result) => ({
          value: result,
          text: `${id} is ${(result as { status: string }).status}.`,
        }));
      }),
    );
}
