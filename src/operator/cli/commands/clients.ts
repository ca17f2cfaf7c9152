import { type Command, InvalidArgumentError, Option } from 'commander';
import { printable, show } from '../../../desk/cli/console';
import { approvalView } from '../../../process/approvals/view';
import { listTenants, prepareCredential, requireTenant } from '../../../tenants/clients/operations';
import type { TenantSettings } from '../../../tenants/clients/settings';
import { sealedTerms } from '../../approvals/clients';
import { changeOrAsk } from '../../approvals/operations';
import { changesOf, type SettingChange, shownSettings } from '../../client-settings';
import { textArgument } from '../arguments';
import type { CommandContext } from '../context';
import { addListing } from '../listing';
import { addAccessCommands, credentialText, REASON, tellCredential } from './client-access';
import { askedText } from './outcome';

interface Json {
  json?: boolean;
}

export function addClientCommands(program: Command, context: CommandContext): void {
  const group = program.command('client').description('tenants and their credentials');
  addCreate(group, context);
  addListing(group, context, {
    description: 'all tenants',
    load: ({ database }) => listTenants(database),
    columns: ['id', 'name', 'role', 'status'],
    row: ({ id, name, role, status }) => [id, name, role, status],
  });
  addAccessCommands(group, context);
  addSettings(group, context);
}

function addCreate(group: Command, { console, run }: CommandContext): void {
  group
    .command('create')
    .description('a new tenant; its secret is shown this once')
    .requiredOption('--name <name>', 'what people call it', textArgument(200))
    .addOption(
      new Option('--role <role>', 'admin: an operator, who may reach every tenant')
        .choices(['client', 'admin'])
        .default('client'),
    )
    .option(...REASON)
    .option('--json', 'print { "clientId", "clientSecret" }, with { "approval" } where it takes two')
    .action((given: Json & { name: string; role: 'client' | 'admin'; reason?: string }) =>
      run(async (session) => {
        const { name, role, reason = 'a new admin' } = given;
        const prepared = prepareCredential(session.keyring);
        const terms = { ...sealedTerms(prepared), name, role };
        const outcome = await changeOrAsk(session, 'client.create', terms, reason);
        const { credential } = prepared;
        tellCredential(console, given.json, credential, outcome, () => ({
          value: credential,
          text: credentialText(credential),
        }));
      }),
    );
}

function addSettings(group: Command, { console, run }: CommandContext): void {
  group
    .command('settings <id>')
    .description("shows a tenant's settings; with --set changes those that are given, and tells what changed")
    .option('--set <key=value>', 'for instance rateLimit.perSecond=50; may be repeated', collected, [])
    .option(...REASON)
    .option('--json', 'print all settings as JSON, or { "approval" }')
    .action((id: string, { set, reason = 'thresholds raised', json }: SettingsOptions) =>
      run(async (session) => {
        if (set.length === 0) {
          const settings = shownSettings((await requireTenant(session.database, id)).settings);
          return show(console, json, settings, JSON.stringify(settings, null, 2));
        }
        const outcome = await changeOrAsk(session, 'client.settings', { clientId: id, set }, reason);
        if ('asked' in outcome)
          return show(console, json, { approval: approvalView(outcome.asked) }, askedText(outcome.asked));
        const { before, after } = outcome.done.result as Record<'before' | 'after', TenantSettings>;
        show(console, json, after, changeText(before, after));
      }),
    );
}

interface SettingsOptions extends Json {
  set: SettingChange[];
  reason?: string;
}

const changeText = (before: TenantSettings, after: TenantSettings): string =>
  changesOf(before, after)
    .map(({ field, from, to }) => printable(`${field}: ${from} -> ${to}`))
    .join('\n') || 'Nothing has changed.';

function collected(text: string, before: SettingChange[]): SettingChange[] {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It takes key=value, for instance rateLimit.perSecond=50.');
  return [...before, { key: text.slice(0, at), value: text.slice(at + 1) }];
}
