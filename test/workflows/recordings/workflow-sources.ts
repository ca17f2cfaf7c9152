import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const WORKFLOWS = join(__dirname, '../../../workflows');

/** Every workflow by its name, with its source and the sources that it imports from `workflows`. */
export function workflowSources(): Map<string, string> {
  const index = readFileSync(join(WORKFLOWS, 'index.ts'), 'utf8');
  const exported = [...index.matchAll(/export \{ (\w+) \} from '(.+)'/g)];
  return new Map(
    exported.map(([, name = '', path = '']) => [name, sourceOf(join(WORKFLOWS, `${path}.ts`), new Set())]),
  );
}

function sourceOf(file: string, seen: Set<string>): string {
  if (seen.has(file) || !file.startsWith(WORKFLOWS) || !existsSync(file)) return '';
  seen.add(file);
  const own = readFileSync(file, 'utf8');
  const imported = [...own.matchAll(/ from '(\..+)'/g)].map(([, path = '']) =>
    sourceOf(join(dirname(file), `${path}.ts`), seen),
  );
  return [own, ...imported].join('\n');
}
