import { rmSync } from 'node:fs';
import { relative } from 'node:path';
import { buildBundles, DIST } from '../workers/bundle';

/** `npm run build` bundles the workflows ahead, so that a worker in production starts at once. */
async function main(): Promise<void> {
  rmSync(DIST, { recursive: true, force: true });
  for (const path of await buildBundles(DIST)) console.log(relative(process.cwd(), path));
}

main().catch((error: Error) => {
  console.error(error);
  process.exit(1);
});
