import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { show } from '../../../desk/cli/console';
import { kyc } from '../../../desk/queues/people';
import { conflict, invalid } from '../../../kernel/errors';
import { documentContent, requireDocumentById } from '../../../people/kyc/documents';
import { decideKyc } from '../../../people/kyc/operations';
import type { KycDecision } from '../../../people/kyc/record';
import { documentView, kycView } from '../../../people/kyc/view';
import { reasonArgument } from '../arguments';
import type { CommandContext } from '../context';
import { addQueueListing } from './queue-listing';

interface KycCommand {
  verb: string;
  decision: KycDecision;
  description: string;
  needsReason: boolean;
}

const COMMANDS: readonly KycCommand[] = [
  {
    verb: 'approve',
    decision: 'completed',
    description: 'the documents prove who the user is',
    needsReason: false,
  },
  {
    verb: 'reject',
    decision: 'rejected',
    description: 'they do not, and nothing more is asked for; the client reads the reason',
    needsReason: true,
  },
  {
    verb: 'request-resubmission',
    decision: 'resubmission_required',
    description: 'asks the client for other documents; it reads the reason',
    needsReason: true,
  },
];

/** Commands for KYC reviews of users, including corrections of ended reviews. */
export function addKycCommands(program: Command, context: CommandContext): void {
  const group = program.command('kyc').description('KYC reviews of users that wait for you');
  addQueueListing(group, context, kyc);
  for (const command of COMMANDS) addDecision(group, context, command);
  addDocument(group, context);
}

function addDecision(group: Command, { console, run }: CommandContext, spec: KycCommand): void {
  const { verb, decision, description, needsReason } = spec;
  const command = group.command(`${verb} <user>`).description(description);
  if (needsReason) command.requiredOption('--reason <text>', 'kept with the decision', reasonArgument);
  else command.option('--reason <text>', 'kept with the decision', reasonArgument);
  command
    .option('--json', "print the user's KYC as JSON")
    .action((userId: string, { reason, json }: { reason?: string; json?: boolean }) =>
      run(async (session) => {
        const given = { reach: null, userId, decision, reason, decidedBy: session.actor };
        const { after } = await session.change(
          (tx) => decideKyc(session, tx, given),
          (decided) => ({
            action: `kyc.${verb}`,
            subject: userId,
            tenantId: decided.after.user.tenantId,
            before: { status: decided.before },
            after: { status: decided.after.user.kycStatus },
          }),
        );
        const view = kycView(after, { role: 'admin' });
        show(console, json, view, `The KYC of ${userId} is ${view.status}.`);
      }),
    );
}

interface DocumentOptions {
  out: string;
  reason: string;
  json?: boolean;
}

function addDocument(group: Command, { console, run }: CommandContext): void {
  group
    .command('document <id>')
    .description("writes a document's content to a file; who has seen it and why is in the audit log")
    .requiredOption('--out <file>', 'a file that is not there yet')
    .requiredOption('--reason <text>', 'kept in the audit log', reasonArgument)
    .option('--json', 'print the document, without its content, as JSON')
    .action((id: string, { out, reason, json }: DocumentOptions) =>
      run(async (session) => {
        const document = await requireDocumentById(session.database, id);
        const content = await documentContent({ parties: { documents: session.documents } }, document);
        const { tenantId } = document;
        await session.change(
          () => Promise.resolve(),
          () => ({ action: 'kyc.download-document', subject: id, tenantId, after: { reason } }),
        );
        await written(out, content);
        show(console, json, { ...documentView(document), file: out }, `${id} is in ${out}.`);
      }),
    );
}

/**
 * Writes a file that only the present user can read. @throws Problem 409 when the file exists, 400 when it cannot be
 * written
 */
async function written(file: string, content: Buffer): Promise<void> {
  try {
    await writeFile(file, content, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as { code?: unknown }).code === 'EEXIST')
      throw conflict('invalid_transition', `${file} is there already.`, 'out');
    throw invalid(`${file} cannot be written.`, 'out');
  }
}
