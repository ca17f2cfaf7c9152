import { type Command, InvalidArgumentError } from 'commander';
import { show } from '../../desk/cli/console';
import { type ChainHead, verifyAudit } from '../../kernel/audit/log';
import type { CommandContext } from './context';

/** Proves the audit log, which tells who did what (decisions part 1, Roles). The desk lists it. */
export function addAuditCommands(program: Command, { console, run }: CommandContext): void {
  const group = program.command('audit').description('who did what; rows are only ever added');
  group
    .command('verify')
    .description('proves that no row was changed, taken out or put in: ends with 1 at the first that was')
    .option(
      '--head <number:hash>',
      'a head that was printed earlier: proves that nothing ended since',
      headArgument,
    )
    .option(
      '--told [file]',
      'also compares every head that was told outside: of a file with a head a line, else of the place that AUDIT_HEAD_TO names',
    )
    .option('--json', 'print { "entries", "known", "head", "broken"? }')
    .action(({ head: noted, told = false, json }: VerifyOptions) =>
      run(async ({ database, toldHeads }) => {
        const heads = told === false ? [] : await toldHeads(told === true ? undefined : told);
        const proof = await verifyAudit(database, noted ? [...heads, noted] : heads);
        const { entries, known, head, broken } = proof;
        const compared = known > 0 ? ` ${known} known heads are in the chain.` : '';
        const text = broken
          ? `Broken at row ${broken.entryId}: ${broken.why}. ${entries} rows before it are as they were written.${compared}`
          : `${entries} rows are as they were written.${compared} The head: ${head.number}:${head.hash}`;
        show(console, json, proof, text);
        return broken ? 1 : 0;
      }),
    );
}

interface VerifyOptions {
  head?: ChainHead;
  /** True: the option has no value. */
  told?: string | boolean;
  json?: boolean;
}

function headArgument(text: string): ChainHead {
  const [, number = '', hash = ''] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (hash === '') throw new InvalidArgumentError('It takes a head as "audit verify" prints it.');
  return { number: Number(number), hash };
}
