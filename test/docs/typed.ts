import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(__dirname, '../..');

/** Fenced shell commands of a document, in order. `document` is a path from the root. */
export const commandsOf = (document: string): string[] =>
  [...readFileSync(join(ROOT, document), 'utf8').matchAll(/^```sh\n([^]*?)^```$/gm)].map(
    ([, text]) => text as string,
  );

/** Fenced pieces of a program in TypeScript, in order, as one text. `document` is a path from the root. */
export const programOf = (document: string): string =>
  [...readFileSync(join(ROOT, document), 'utf8').matchAll(/^```ts\n([^]*?)^```$/gm)]
    .map(([, text]) => text as string)
    .join('\n');

// Runs the programs of `npm run` directly, without npm.
const NPM = [
  'npm() {',
  '  if [ "$1" != run ]; then command npm "$@"; return; fi',
  '  shift; local program="scripts/$1.ts"',
  '  case "$1" in operator|installation) program="src/startup/$1/main.ts";; esac',
  '  while [ "$1" != -- ]; do shift; done; shift',
  '  (cd "$ROOT"; node --require ./scripts/typescript.cjs "$program" "$@")',
  '}',
].join('\n');

/**
 * Runs commands as a reader types them.
 * @param folder working folder; credentials are in its `.data` or in `DATA_DIR` of the environment
 * @param url address of the product, replaces `localhost:8080`
 * @returns standard output
 */
export async function typed(
  commands: string,
  { folder, url, environment }: { folder: string; url: string; environment: NodeJS.ProcessEnv },
): Promise<string> {
  const script = ['set -e', NPM, commands]
    .join('\n')
    .replaceAll('localhost:8080', new URL(url).host)
    .replaceAll('docs/guides/', `${ROOT}/docs/guides/`)
    .replaceAll('./client', `${ROOT}/client`);
  const { stdout } = await promisify(execFile)('bash', ['-c', script], {
    cwd: folder,
    env: { ...environment, ROOT },
  });
  return stdout;
}
