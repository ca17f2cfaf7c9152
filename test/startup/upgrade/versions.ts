import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { currentRelease } from '../../../scripts/release/current';
import { copyCheckout, type Unpacked, unpackCommit } from '../../../scripts/unpack-commit';

/** Two versions of the product, each in its folder. */
export interface TwoVersions {
  old: string;
  next: string;
  /** What the two are, for the title of the test. */
  told: string;
  remove(): void;
}

const ROOT = join(__dirname, '../../..');

/**
 * Without a release, the old version is this checkout and the next one is a copy with the changes that an upgrade brings. With a
 * release, the old version is its commit and the next one is this checkout.
 */
export async function twoVersions(): Promise<TwoVersions> {
  const release = currentRelease();
  if (release === null) {
    const { folder, remove } = await changedCopy();
    return { old: ROOT, next: folder, told: 'this checkout and a changed copy of it', remove };
  }
  const { folder, remove }: Unpacked = await unpackCommit(release.commit);
  return { old: folder, next: ROOT, told: `${release.version} and this checkout`, remove };
}

/** Expands the schema and the rights, changes a workflow behind a patch, and has the next version. */
async function changedCopy(): Promise<Unpacked> {
  const copy = await copyCheckout();
  const edit = (file: string, change: (text: string) => string): void => {
    const path = join(copy.folder, file);
    const before = readFileSync(path, 'utf8');
    const after = change(before);
    if (after === before) throw new Error(`${file} has not what the copy changes`);
    writeFileSync(path, after);
  };
  edit('package.json', (text) => text.replace(/("version": ")[^"]*/, '$11.1.0'));
  edit('src/kernel/db/rights.ts', (text) =>
    text.replace("'actor, action, subject,", "'actor, origin, action, subject,"),
  );
  edit('workflows/transfers/payout-lifecycle.ts', (text) =>
    text
      .replace('  return follow(', "  if (patched('of-the-next-version')) await sleep(1);\n  return follow(")
      .replace(
        'import { PARTY_QUEUES',
        "import { patched, sleep } from '@temporalio/workflow';\nimport { PARTY_QUEUES",
      ),
  );
  const migrations = join(copy.folder, 'src/kernel/db/migrations');
  writeFileSync(
    join(migrations, '9001_expand.sql'),
    "alter table audit_log add column origin text;\nalter table tenants add column colour text not null default 'plain';\n",
  );
  writeFileSync(
    join(migrations, '9002_index.sql'),
    '-- outside a transaction\ncreate index concurrently if not exists tenants_by_colour on tenants (colour);\n',
  );
  return copy;
}
