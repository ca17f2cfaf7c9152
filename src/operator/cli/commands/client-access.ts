import { type Command, InvalidArgumentError } from 'commander';
import { type Console, show } from '../../../desk/cli/console';
import type { Approval } from '../../../process/approvals/operations';
import { approvalView } from '../../../process/approvals/view';
import {
  type NewCredential,
  prepareCredential,
  revokeSecrets,
  type SecretNumbers,
  setClientStatus,
} from '../../../tenants/clients/operations';
import { OVERLAP_SECONDS } from '../../../tenants/clients/settings';
import { lookAtUnordered } from '../../../transfers/unordered';
import { sealedTerms } from '../../approvals/clients';
import type { Done } from '../../approvals/kind';
import { changeOrAsk } from '../../approvals/operations';
import { reasonArgument } from '../arguments';
import type { CommandContext } from '../context';
import { askedText } from './outcome';

interface Json {
  json?: boolean;
}

/** The reason that the approving operator reads. */
export const REASON = [
  '--reason <text>',
  'why: shown to the operator who approves it',
  reasonArgument,
] as const;

/** Commands for a tenant's status and secrets. Changes take effect in every API process within a second. */
export function addAccessCommands(group: Command, context: CommandContext): void {
  addDisable(group, context);
  addEnable(group, context);
  addRotate(group, context);
  addRevoke(group, context);
}

export function credentialText({ clientId, clientSecret }: NewCredential): string {
  return `client id      ${clientId}\nclient secret  ${clientSecret}\n\nKeep the secret: it is not shown again.`;
}

/**
 * Prints a credential, and the approval that it waits for. No later command shows the secret.
 * @param told text for a credential that works at once
 */
export function tellCredential(
  console: Console,
  json: boolean | undefined,
  credential: NewCredential,
  outcome: { done: Done } | { asked: Approval },
  told: (result: unknown) => { value: unknown; text: string },
): void {
  if ('done' in outcome) {
    const { value, text } = told(outcome.done.result);
    return show(console, json, value, text);
  }
  const { asked } = outcome;
  const text = `${credentialText(credential)}\nIt does not work yet. ${askedText(asked)}`;
  show(console, json, { approval: approvalView(asked), ...credential }, text);
}

function addDisable(group: Command, { console, run }: CommandContext): void {
  group
    .command('disable <id>')
    .description(
      'shuts a tenant out: its calls answer 401, its cards decline, its orders that no party has wait; money is booked',
    )
    .option('--api-only', 'leaves its cards working')
    .requiredOption('--reason <text>', 'why: kept with it, for operators', reasonArgument)
    .option('--json', 'print { "clientId", "status" }')
    .action((id: string, { reason, apiOnly = false, json }: Json & { reason: string; apiOnly?: boolean }) =>
      run(async (session) => {
        const status = 'disabled';
        const stopping = { reason, stoppedBy: session.actor, at: session.now() };
        await session.change(
          (tx) => setClientStatus(tx, id, status, stopping, { apiOnly }),
          (before) => ({
            action: 'client.disable',
            subject: id,
            tenantId: id,
            before: { status: before },
            after: { status, apiOnly, reason },
          }),
        );
        show(console, json, { clientId: id, status }, `${id} is ${status}.`);
      }),
    );
}

function addEnable(group: Command, { console, run }: CommandContext): void {
  group
    .command('enable <id>')
    .description('lets a tenant in again, with the secrets that it had; what has waited goes on at once')
    .requiredOption('--reason <text>', 'why: kept with it, for operators', reasonArgument)
    .option('--json', 'print { "clientId", "status" }')
    .action((id: string, { reason, json }: Json & { reason: string }) =>
      run(async (session) => {
        const status = 'active';
        const stopping = { reason, stoppedBy: session.actor, at: session.now() };
        await session.change(
          async (tx) => {
            const before = await setClientStatus(tx, id, status, stopping);
            await lookAtUnordered(session, tx, id);
            return before;
          },
          (before) => ({
            action: 'client.enable',
            subject: id,
            tenantId: id,
            before: { status: before },
            after: { status, reason },
          }),
        );
        show(console, json, { clientId: id, status }, `${id} is ${status}.`);
      }),
    );
}

function addRotate(group: Command, { console, run }: CommandContext): void {
  group
    .command('rotate-secret <id>')
    .description(
      'a new secret, which signs webhooks at once; the old one authenticates until the overlap ends, any other ends now',
    )
    .option(
      '--overlap-seconds <n>',
      'how long the old one works; 0 ends it now',
      checkedOverlap,
      OVERLAP_SECONDS.default,
    )
    .option(...REASON)
    .option(
      '--json',
      'print { "clientId", "clientSecret", "overlapEndsAt" }, or with { "approval" } where it takes two',
    )
    .action((id: string, { overlapSeconds, reason = 'a new secret', json }: RotateOptions) =>
      run(async (session) => {
        const prepared = prepareCredential(session.keyring, id);
        const terms = { ...sealedTerms(prepared), overlapSeconds };
        const outcome = await changeOrAsk(session, 'client.rotate-secret', terms, reason);
        const { credential } = prepared;
        tellCredential(console, json, credential, outcome, (result) => {
          const { overlapEndsAt } = result as { overlapEndsAt: string | null };
          const text = `${credentialText(credential)}\n${toldOfOld(overlapEndsAt, overlapSeconds)}`;
          return { value: { ...credential, overlapEndsAt }, text };
        });
      }),
    );
}

interface RotateOptions extends Json {
  overlapSeconds: number;
  reason?: string;
}

function toldOfOld(overlapEndsAt: string | null, overlapSeconds: number): string {
  if (overlapEndsAt === null) return 'No earlier one works.';
  return overlapSeconds === 0 ? 'The old one has ended.' : `The old one works until ${overlapEndsAt}.`;
}

function checkedOverlap(text: string): number {
  const seconds = Number(text);
  if (!/^\d+$/.test(text) || seconds > OVERLAP_SECONDS.max)
    throw new InvalidArgumentError(`Whole seconds from 0 to ${OVERLAP_SECONDS.max}.`);
  return seconds;
}

function addRevoke(group: Command, { console, run }: CommandContext): void {
  group
    .command('revoke <id>')
    .description('ends the secrets that are in their overlap; the current one stays')
    .option('--all', 'ends the current one too: nothing of the tenant authenticates until rotate-secret')
    .option('--json', 'print { "clientId", "revoked", "live" }: how many were ended, and how many are left')
    .action((id: string, { all = false, json }: Json & { all?: boolean }) =>
      run(async (session) => {
        const { before, after } = await session.change(
          (tx) => revokeSecrets(tx, id, all),
          (change) => ({ action: 'client.revoke', subject: id, tenantId: id, ...change }),
        );
        const live = count(after);
        const revoked = count(before) - live;
        show(console, json, { clientId: id, revoked, live }, revokedText(id, revoked, live));
      }),
    );
}

const count = ({ current, inOverlap }: SecretNumbers) => inOverlap.length + (current === null ? 0 : 1);

function revokedText(id: string, revoked: number, live: number): string {
  const ended = `${revoked} ended.`;
  if (live > 0) return `${ended} The current secret works.`;
  return (
    `${ended} Nothing of ${id} authenticates until "client rotate-secret ${id}". Its webhooks go on, signed with its ` +
    'last secret.'
  );
}
