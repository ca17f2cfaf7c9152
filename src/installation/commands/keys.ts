import type { Command } from 'commander';
import { show, table } from '../../desk/cli/console';
import { INSTALLATION } from '../../desk/operators/operations';
import {
  type InstallationKey,
  installationKeys,
  keepSealed,
  keyIdOf,
  sealAnew,
} from '../../kernel/security/installation-keys';
import type { InstallationSession } from '../session';
import type { CommandContext } from './context';
import { addRenewalCommands } from './renew-keys';

/** The installation's keys, under which everything is sealed, hashed and linked, and the master keys that seal them. */
export function addKeyCommands(program: Command, context: CommandContext): void {
  const { console, run } = context;
  const group = program
    .command('keys')
    .description("the installation's keys, one a purpose, and the master keys that seal them (MASTER_KEYS)");
  group
    .command('list')
    .description('which master key seals which key; a master key that seals none may be left out')
    .option('--json', 'print { "keys", "masterKeys" }')
    .action(({ json }: { json?: boolean }) =>
      run(async (session) => {
        const told = await listed(session);
        show(console, json, told, listText(told));
      }),
    );
  group
    .command('rotate')
    .description(
      'seals each key under the first of MASTER_KEYS, while the product runs; repeat it after a break',
    )
    .option('--json', 'print { "masterKey", "sealed", "before" }')
    .action(({ json }: { json?: boolean }) =>
      run(async (session) => {
        const told = await rotated(session);
        const { sealed, before, masterKey } = told;
        const text = `"${masterKey}" now seals all keys: ${sealed.length} sealed anew, ${before} sealed before.`;
        show(console, json, told, text);
      }),
    );
  addRenewalCommands(group, context);
}

interface ListedKeys {
  keys: { key: string; sealedBy: string; sealedAt: string; createdAt: string }[];
  /** Those of MASTER_KEYS, in their order. */
  masterKeys: { id: string; keys: number }[];
}

async function listed({ database, masterKeys }: InstallationSession): Promise<ListedKeys> {
  const stored = await installationKeys(database);
  return {
    keys: stored.map((key) => ({
      key: keyIdOf(key),
      sealedBy: key.sealedBy,
      sealedAt: key.sealedAt.toISOString(),
      createdAt: key.createdAt.toISOString(),
    })),
    masterKeys: masterKeys.map(({ id }) => ({
      id,
      keys: stored.filter(({ sealedBy }) => sealedBy === id).length,
    })),
  };
}

function listText({ keys, masterKeys }: ListedKeys): string {
  const rows = keys.map(({ key, sealedBy, sealedAt, createdAt }) => [key, sealedBy, sealedAt, createdAt]);
  const [, ...others] = masterKeys;
  const told = masterKeys.map(({ id, keys: count }) => `"${id}" seals ${count} of ${keys.length} keys.`);
  const idle = others
    .filter(({ keys: count }) => count === 0)
    .map(
      ({ id }) => `"${id}" may be left out of MASTER_KEYS. Only backups from before the rotation need it.`,
    );
  return [table(['key', 'sealed by', 'since', 'made'], rows), '', ...told, ...idle].join('\n');
}

interface Rotated {
  /** The first of MASTER_KEYS. */
  masterKey: string;
  /** Keys that this run has sealed anew. */
  sealed: string[];
  /** Number of keys that the first master key had sealed before. */
  before: number;
}

/** Each key in a transaction of its own, so that a run that was broken off loses nothing and the next one goes on. */
async function rotated(session: InstallationSession): Promise<Rotated> {
  const { database, masterKeys } = session;
  const sealed: string[] = [];
  const stored = await installationKeys(database);
  for (const key of stored) {
    const fresh = await sealAnew(key, masterKeys);
    if (!fresh) continue;
    await keep(session, key, fresh);
    sealed.push(keyIdOf(key));
  }
  return { masterKey: masterKeys[0].id, sealed, before: stored.length - sealed.length };
}

const keep = (
  { knownActor, change }: InstallationSession,
  key: InstallationKey,
  fresh: InstallationKey,
): Promise<void> =>
  change(
    knownActor ?? INSTALLATION,
    (tx) => keepSealed(tx, key, fresh),
    () => ({
      action: 'keys.rotate',
      subject: keyIdOf(key),
      after: { from: key.sealedBy, to: fresh.sealedBy },
    }),
  );
