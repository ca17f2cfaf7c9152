import { type Command, InvalidArgumentError } from 'commander';
import {
  type NewCredential,
  revokeSecrets,
  rotateSecret,
  type SecretNumbers,
  setClientStatus,
} from '../../../tenants/clients/operations';
import { OVERLAP_SECONDS } from '../../../tenants/clients/settings';
import { reasonArgument } from '../arguments';
import { show } from '../console';
import type { CommandContext } from '../context';

interface Json {
  json?: boolean;
}

/** Who may come in as a tenant: its status and its secrets. Each counts in every API process within a second. */
export function addAccessCommands(group: Command, context: CommandContext): void {
  addStatus(
    group,
    context,
    'disable',
    'shuts a tenant out: all its calls answer 401; what is under way goes on',
  );
  addStatus(group, context, 'enable', 'lets a tenant in again, with the secrets that it had');
  addRotate(group, context);
  addRevoke(group, context);
}

export function credentialText({ clientId, clientSecret }: NewCredential): string {
  return `client id      ${clientId}\nclient secret  ${clientSecret}\n\nKeep the secret: it is not shown again.`;
}

function addStatus(
  group: Command,
  { console, run }: CommandContext,
  verb: 'disable' | 'enable',
  description: string,
): void {
  const [other, status] =
    verb === 'disable' ? (['active', 'disabled'] as const) : (['disabled', 'active'] as const);
  group
    .command(`${verb} <id>`)
    .description(description)
    .requiredOption('--reason <text>', 'why: kept with it, for operators', reasonArgument)
    .option('--json', 'print { "clientId", "status" }')
    .action((id: string, { reason, json }: Json & { reason: string }) =>
      run(async (session) => {
        const stopping = { reason, stoppedBy: session.actor, at: session.now() };
        await session.change(
          (tx) => setClientStatus(tx, id, status, stopping),
          () => ({
            ...{ action: `client.${verb}`, subject: id, tenantId: id },
            ...{ before: { status: other }, after: { status, reason } },
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
    .option('--json', 'print { "clientId", "clientSecret", "overlapEndsAt" }')
    .action((id: string, { overlapSeconds, json }: Json & { overlapSeconds: number }) =>
      run(async (session) => {
        const { credential } = await session.change(
          (tx) => rotateSecret(tx, session.keyring, id, overlapSeconds),
          ({ before, after }) => ({
            action: 'client.rotate-secret',
            ...{ subject: id, tenantId: id, before, after },
          }),
        );
        const old = toldOfOld(credential.overlapEndsAt, overlapSeconds);
        show(console, json, credential, `${credentialText(credential)}\n${old}`);
      }),
    );
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
