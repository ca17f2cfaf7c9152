import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PARTY_PROTOCOLS } from '../src/parties/definitions';
import { openApiOf } from './document-parties/openapi';
import { withBlocks } from './document-parties/text';

/** Writes docs/parties/<party>.openapi.json and the marked blocks of docs/parties.md: `npm run document`. */

const DOCS = join(__dirname, '../docs');
const GUIDE = join(DOCS, 'parties.md');

/** The current OpenAPI documents, each with its file. */
export const openApiFiles = (): [file: string, content: string][] =>
  PARTY_PROTOCOLS.map((protocol) => [
    join(DOCS, 'parties', `${protocol.name}.openapi.json`),
    `${JSON.stringify(openApiOf(protocol), null, 2)}\n`,
  ]);

if (require.main === module) {
  for (const [file, content] of openApiFiles()) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  writeFileSync(GUIDE, withBlocks(readFileSync(GUIDE, 'utf8')));
}
