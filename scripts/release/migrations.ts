import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Released migrations by file, with the SHA-256 of each. */
export type Released = Readonly<Record<string, string>>;

const ROOT = join(__dirname, '../..');
export const MIGRATIONS = 'src/kernel/db/migrations';
/** Empty until a release is named. `npm run release` writes it. */
export const RELEASED_FILE = 'src/kernel/db/released-migrations.json';

export const releasedMigrations = (root = ROOT): Released =>
  JSON.parse(readFileSync(join(root, RELEASED_FILE), 'utf8')) as Released;

/** Hashes all migrations of a checkout. */
export function migrationHashes(root = ROOT): Released {
  const folder = join(root, MIGRATIONS);
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  return Object.fromEntries(
    names.sort().map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex'),
    ]),
  );
}

/**
 * Checks that released migrations are as they were, because an installation has applied them and applies none again.
 * @returns a line for each fault
 */
export function faultsOfMigrations(released: Released, present: Released): string[] {
  const names = Object.keys(released).sort();
  const last = names.at(-1) ?? '';
  return [
    ...names.flatMap((name) => {
      if (present[name] === undefined) return [`${name} is released and is missing`];
      return present[name] === released[name] ? [] : [`${name} is released and was edited: add a migration`];
    }),
    ...Object.keys(present).flatMap((name) =>
      released[name] === undefined && name < last ? [`${name} comes before ${last}, which is released`] : [],
    ),
  ];
}
