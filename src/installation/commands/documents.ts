import type { Command } from 'commander';
import { show } from '../../desk/cli/console';
import { checkDocuments, type DocumentsCheck } from '../../people/check-documents';
import type { CommandContext } from './context';

/** Proves that each record of a document has its sealed content. */
export function addDocumentsCommand(program: Command, { console, run }: CommandContext): void {
  program
    .command('documents')
    .description('the sealed documents of people')
    .command('check')
    .description(
      'compares records and store: ends with 1 where content is missing; lists content of no record',
    )
    .option('--json', 'print { "kept", "missing", "orphans" }')
    .action(({ json }: { json?: boolean }) =>
      run(async ({ database, storedDocuments }) => {
        const check = await checkDocuments(database, await storedDocuments());
        show(console, json, check, documentsText(check));
        return check.missing.length === 0 ? 0 : 1;
      }),
    );
}

/** Most names in a text for people. `--json` has them all. */
const SHOWN = 20;

export function documentsText({ kept, missing, orphans }: DocumentsCheck): string {
  const listed = (names: readonly string[]) => [
    ...names.slice(0, SHOWN).map((name) => `  ${name}`),
    ...(names.length > SHOWN ? [`  and ${names.length - SHOWN} more`] : []),
  ];
  return [
    `Documents: ${kept} records have their content, ${missing.length} lack it, ${orphans.length} contents belong to no record.`,
    ...(missing.length > 0 ? ['Content is missing, or has another length:', ...listed(missing)] : []),
    ...(orphans.length > 0 ? ['Content of no record:', ...listed(orphans)] : []),
  ].join('\n');
}
