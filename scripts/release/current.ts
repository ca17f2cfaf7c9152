import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasHistory } from '../unpack-commit';

const ROOT = join(__dirname, '../..');

/** The last named release, by `.ci/release.json`. */
interface NamedRelease {
  version: string;
  /** Folders or files of the release's tests that depend on the schema. All must pass. */
  tests: string[];
}

export interface Release extends NamedRelease {
  /** The commit that named it. */
  commit: string;
}

/**
 * Finds the commit that gave `package.json` the version of the last release.
 * @returns null without a release, or where the history does not reach back to it
 */
export function currentRelease(): Release | null {
  const named = JSON.parse(readFileSync(join(ROOT, '.ci/release.json'), 'utf8')) as NamedRelease | null;
  if (named === null || !hasHistory()) return null;
  const line = `"version": "${named.version}"`;
  const found = execFileSync('git', ['log', '--reverse', '--format=%H', `-S${line}`, '--', 'package.json'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const [commit] = found.trim().split('\n');
  return commit ? { ...named, commit } : null;
}
