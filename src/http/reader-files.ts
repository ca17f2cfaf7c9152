import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The files of the reader. Scalar's package brings some 250 others, and none runs in this process, so the package is for
 * development. `npm run build` copies the files that a browser loads.
 */
const PACKAGE = '@scalar/api-reference';
/** The folder into which `npm run build` copies them. */
const BUILT = join(__dirname, '../../dist/reader');
const START = 'standalone.esm.js';

/** The folder of the package's files for the browser. Undefined where it is not installed. */
export function packagedReader(): string | undefined {
  try {
    // Only resolved, because requiring it would load the whole reader into this process.
    return join(dirname(require.resolve(PACKAGE)), 'browser');
  } catch {
    return undefined;
  }
}

/** The folder of the reader: the package's, else the built one. Undefined where there is neither. */
export const readerFolder = (packaged: string | undefined, built = BUILT): string | undefined =>
  packaged ?? (existsSync(join(built, START)) ? built : undefined);

/** The scripts of a folder, by their path in it. Each name but the first has a hash of the content. */
export function readerScripts(folder: string): Map<string, string> {
  const chunks = readdirSync(join(folder, 'chunks')).filter((name) => name.endsWith('.js'));
  const names = [START, ...chunks.map((name) => `chunks/${name}`)];
  return new Map(names.map((name) => [name, join(folder, name)]));
}
