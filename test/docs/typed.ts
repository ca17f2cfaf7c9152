import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(__dirname, '../..');

/** Fenced commands of a document (its path from the root), in order. */
export const commandsOf = (document: string): string[] =>
  [...readFileSync(join(ROOT, document), 'utf8').matchAll(/^```sh\n([^]*?)^```$/gm)].map(
    ([, text]) => text as string,
  );

// Programs as `npm run` starts them, without npm.
const NPM = [
  'npm() {',
  '  shift; local program="scripts/$1.ts"; [ "$1" = operator ] && program=src/startup/operator/main.ts',
  '  while [ "$1" != -- ]; do shift; done; shift',
  '  (cd "$ROOT"; node --import tsx "$program" "$@")',
  '}',
].join('\n');

/**
 * Runs commands as a reader types them.
 * @param folder where it is done: its `.data` or the environment's `DATA_DIR` holds the credentials
 * @param url where the product is, in the place of `localhost:8080`
 * @returns what they have printed
 */
export async function typed(
  commands: string,
  { folder, url, environment }: { folder: string; url: string; environment: NodeJS.ProcessEnv },
): Promise<string> {
  const script = ['set -e', NPM, commands]
    .join('\n')
    .replaceAll('localhost:8080', new URL(url).host)
    .replaceAll('docs/guides/', `${ROOT}/docs/guides/`);
  const { stdout } = await promisify(execFile)('bash', ['-c', script], {
    ...{ cwd: folder, env: { ...environment, ROOT } },
  });
  return stdout;
}
