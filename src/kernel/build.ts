import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { version } from '../../package.json';

const ROOT = join(__dirname, '../..');
/** Folders of the code that a process runs. */
export const SOURCES = ['src', 'activities', 'workers', 'workflows'];
const SHOWN_DIGITS = 12;

let hashed: string | undefined;

/** Hash of the sources of this process, 64 hexadecimal digits. Two builds of the same sources have the same hash. */
export function sourceHash(): string {
  hashed ??= hashOfSources();
  return hashed;
}

/**
 * Names the code that this process runs: the version and the first digits of {@link sourceHash}, such as
 * `1.0.0+3f0c9a1be27d`.
 */
export const buildId = (): string => `${version}+${sourceHash().slice(0, SHOWN_DIGITS)}`;

function hashOfSources(): string {
  const hash = createHash('sha256');
  for (const folder of SOURCES) {
    const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter((file) =>
      /\.(ts|sql)$/.test(file),
    );
    for (const file of files.sort()) {
      const path = join(ROOT, folder, file);
      hash.update(relative(ROOT, path)).update('\0').update(readFileSync(path)).update('\0');
    }
  }
  return hash.digest('hex');
}
