import { type Command, InvalidArgumentError, Option } from 'commander';
import { provideForClient } from '../../../cards/programmes/operations';
import {
  createClient,
  listTenants,
  requireTenant,
  updateSettings,
} from '../../../tenants/clients/operations';
import type { TenantSettings } from '../../../tenants/clients/settings';
import { changedSettings, differences, type SettingChange, shownSettings } from '../../client-settings';
import { textArgument } from '../arguments';
import { printable, show } from '../console';
import type { CommandContext } from '../context';
import { addListing } from '../listing';
import { addAccessCommands, credentialText } from './client-access';

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
    .option('--json', 'print { "clientId", "clientSecret" }')
    .action((given: Json & { name: string; role: 'client' | 'admin' }) =>
      run(async (session) => {
        const { name, role } = given;
        const { sandbox, keyring } = session;
        const made = await session.change(
          (tx) => createClient(tx, keyring, { provide: provideForClient, name, role, sandbox }),
          ({ clientId }) => ({
            action: 'client.create',
            subject: clientId,
            tenantId: clientId,
            after: { name, role },
          }),
        );
        show(console, given.json, made, credentialText(made));
      }),
    );
}

function addSettings(group: Command, { console, run }: CommandContext): void {
  group
    .command('settings <id>')
    .description("shows a tenant's settings; with --set changes those that are given, and tells what changed")
    .option('--set <key=value>', 'for instance rateLimit.perSecond=50; may be repeated', collected, [])
    .option('--json', 'print all settings as JSON')
    .action((id: string, { set, json }: Json & { set: SettingChange[] }) =>
      run(async (session) => {
        const before = shownSettings((await requireTenant(session.database, id)).settings);
        const after = set.length > 0 ? changedSettings(before, set) : before;
        if (set.length > 0) {
          await session.change(
            (tx) => updateSettings(tx, id, after),
            () => ({ action: 'client.settings', subject: id, tenantId: id, before, after }),
          );
        }
        const readable = set.length > 0 ? changeText(before, after) : JSON.stringify(after, null, 2);
        show(console, json, after, readable);
      }),
    );
}

const changeText = (before: TenantSettings, after: TenantSettings): string =>
  differences(before, after).map(printable).join('\n') || 'Nothing has changed.';

function collected(text: string, before: SettingChange[]): SettingChange[] {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It takes key=value, for instance rateLimit.perSecond=50.');
  return [...before, { key: text.slice(0, at), value: text.slice(at + 1) }];
}
