import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Writes every generated document by the `document-*.ts` scripts beside this file: `npm run document`. */

for (const name of readdirSync(__dirname).filter((file) => /^document-.*\.ts$/.test(file)))
  execFileSync(process.execPath, ['--require', './scripts/typescript.cjs', join(__dirname, name)], {
    stdio: 'inherit',
  });
