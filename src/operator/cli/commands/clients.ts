import { type Command, InvalidArgumentError, Option } from 'commander';
import { provideForClient } from '../../../cards/programmes/operations';
import {
  createClient,
  listTenants,
  requireTenant,
  updateSettings,
} from '../../../tenants/clients/operations';
import { show, table } from '../console';
import type { Operator } from '../context';
import { addAccessCommands, credentialText } from './client-access';
import { changedSettings, type SettingChange, shownSettings } from './client-settings';

interface Json {
  json?: boolean;
}

export function addClientCommands(program: Command, operator: Operator): void {
  const group = program.command('client').description('tenants and their credentials');
  addCreate(group, operator);
  addList(group, operator);
  addAccessCommands(group, operator);
  addSettings(group, operator);
}

function addCreate(group: Command, { console, run }: Operator): void {
  group
    .command('create')
    .description('a new tenant; its secret is shown this once')
    .requiredOption('--name <name>', 'what people call it', checkedName)
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

function checkedName(name: string): string {
  const text = name.trim();
  if (text.length === 0 || text.length > 200) throw new InvalidArgumentError('1 to 200 characters.');
  return text;
}

function addList(group: Command, { console, run }: Operator): void {
  group
    .command('list')
    .description('all tenants')
    .option('--json', 'print a JSON array')
    .action(({ json }: Json) =>
      run(async ({ database }) => {
        const tenants = await listTenants(database);
        const rows = tenants.map(({ id, name, role, status }) => [id, name, role, status]);
        show(console, json, tenants, table(['id', 'name', 'role', 'status'], rows));
      }),
    );
}

function addSettings(group: Command, { console, run }: Operator): void {
  group
    .command('settings <id>')
    .description("shows a tenant's settings, and changes those that are given")
    .option('--set <key=value>', 'for instance rateLimit.perSecond=50; may be repeated', collected, [])
    .option('--json', 'print the settings as JSON')
    .action((id: string, { set, json }: Json & { set: SettingChange[] }) =>
      run(async (session) => {
        const before = shownSettings((await requireTenant(session.database, id)).settings);
        const after = changedSettings(before, set);
        if (set.length > 0) {
          await session.change(
            (tx) => updateSettings(tx, id, after),
            () => ({ action: 'client.settings', subject: id, tenantId: id, before, after }),
          );
        }
        show(console, json, after, JSON.stringify(after, null, 2));
      }),
    );
}

function collected(text: string, before: SettingChange[]): SettingChange[] {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It takes key=value.');
  return [...before, { key: text.slice(0, at), value: text.slice(at + 1) }];
}
