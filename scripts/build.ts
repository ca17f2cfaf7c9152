import { rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { buildBundles, DIST } from '../workers/bundle';
import { copyReader } from './build/reader';

/**
 * `npm run build` bundles the workflows ahead, so that a worker in production starts at once. The build also copies
 * the reader of the document, so that production needs no package of it.
 */
async function main(): Promise<void> {
  rmSync(DIST, { recursive: true, force: true });
  const reader = join(DIST, 'reader');
  copyReader(reader);
  for (const path of [reader, ...(await buildBundles(DIST))]) console.log(relative(process.cwd(), path));
}

main().catch((error: Error) => {
  console.error(error);
  process.exit(1);
});
