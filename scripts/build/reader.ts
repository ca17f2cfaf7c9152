import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packagedReader, readerScripts } from '../../src/http/reader-files';

/**
 * Copies the reader's scripts into a folder, from which `/docs` serves them where the package is not installed. The
 * `package.json` goes with them, because it names the version and the licence.
 * @throws Error where the package is not installed
 */
export function copyReader(folder: string): void {
  const from = packagedReader();
  if (from === undefined) throw new Error('The build needs the development packages: npm ci --include=dev');
  mkdirSync(join(folder, 'chunks'), { recursive: true });
  for (const [name, path] of readerScripts(from)) cpSync(path, join(folder, name));
  cpSync(join(dirname(dirname(from)), 'package.json'), join(folder, 'package.json'));
}
