import { type Command, InvalidArgumentError } from 'commander';
import { show, table } from '../../../../desk/cli/console';
import { MONEY_PARTIES, type MoneyParty } from '../../../../kernel/outbox/queues';
import { PARTY_NAMES, partyNamed } from '../../../../kernel/parties';
import { restoredOf } from '../../../../transfers/restored';
import { restoredView } from '../../../../transfers/restored-view';
import { decideOrAsk } from '../../../approvals/operations';
import { reasonArgument } from '../../arguments';
import type { CommandContext } from '../../context';
import { groupOf } from '../../groups';
import { tellOutcome } from '../outcome';

const NAMES = MONEY_PARTIES.flatMap((party) => (party === 'chain' ? [] : [PARTY_NAMES[party]]));

function partyArgument(text: string): MoneyParty {
  const party = MONEY_PARTIES.find((each) => each === partyNamed(text));
  if (!party) throw new InvalidArgumentError(`It takes ${NAMES.join(', ')}.`);
  return party;
}

/**
 * Command for a party that was restored from a backup and counts its versions from below. Its updates are dropped until
 * a person follows it again.
 */
export function addFollowVersion(program: Command, { console, run }: CommandContext): void {
  program
    .command('follow-version <transfer>')
    .description(
      'counts what its party tells of now, although the version is older than the one that is known',
    )
    .requiredOption('--reason <text>', 'kept with the decision', reasonArgument)
    .option('--json', 'print { "transferId", "status" }, or { "approval" }')
    .action((transferId: string, { reason, json }: { reason: string; json?: boolean }) =>
      run(async (session) => {
        const outcome = await decideOrAsk(session, 'transfer.follow-version', { transferId }, reason);
        await tellOutcome(console, json, outcome, (result) => ({
          value: result,
          text: `${transferId} is ${(result as { status: string }).status}.`,
        }));
      }),
    );
}

/** The same for all transfers of a party. Needs two people after a preview. */
export function addRestoredCommands(program: Command, { console, run }: CommandContext): void {
  const party = groupOf(program, 'party', 'outside parties');
  party
    .command('restored')
    .argument('<party>', NAMES.join(', '), partyArgument)
    .description(
      'previews what would move if the party’s versions were followed again; at most 200 transfers',
    )
    .option('--json', 'print a JSON array')
    .action((name: MoneyParty, { json }: { json?: boolean }) =>
      run(async ({ database, now }) => {
        const all = (await database.transaction((tx) => restoredOf(tx, name, now()))).map(restoredView);
        const rows = all.map(({ id, known, told, status, becomes, moves }) => [
          ...[id, `${known} → ${told}`, status === becomes ? status : `${status} → ${becomes}`],
          moves.map(({ component, amount, currency }) => `${component} ${amount} ${currency}`).join(', '),
        ]);
        show(console, json, all, table(['transfer', 'version', 'status', 'would move'], rows));
      }),
    );
  party
    .command('follow-versions')
    .argument('<party>', NAMES.join(', '), partyArgument)
    .description('asks for all that "party restored" shows to count; another operator approves it')
    .requiredOption('--reason <text>', 'kept with each decision', reasonArgument)
    .option('--json', 'print { "approval" }')
    .action((name: MoneyParty, { reason, json }: { reason: string; json?: boolean }) =>
      run(async (session) => {
        const outcome = await decideOrAsk(session, 'party.follow-versions', { party: name }, reason);
        await tellOutcome(console, json, outcome, (value) => ({ value, text: 'done' }));
      }),
    );
}
