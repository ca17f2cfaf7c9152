import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { withBlock } from './marked-block';

/** Draws the folders and their imports into docs/architecture.md: `npm run document`. */

const ROOT = join(__dirname, '..');
const FILE = join(ROOT, 'docs/architecture.md');
const BLOCK = {
  file: 'docs/architecture.md',
  begin: '<!-- the house: scripts/document-house.ts -->',
  end: '<!-- end of the house -->',
};

/** Folders beside `src`. Each imports only those before it. */
const PROCESSES = ['workflows', 'activities', 'workers'];

interface District {
  /** `kernel/`, or a file of `src` itself. */
  name: string;
  folders: string[];
  /** Names of imported districts. Type imports count. */
  imports: Set<string>;
}

/** @returns a block of text, in which a district stands below every district that it imports */
export function renderHouse(): string {
  const districts = sorted(readDistricts());
  const width = Math.max(...districts.map(({ name }) => name.length)) + 2;
  const lines = districts.flatMap(({ name, folders, imports }) => {
    const above = districts.filter((other) => imports.has(other.name)).map((other) => bare(other.name));
    const contents = wrapped(folders, 100 - width);
    const [first = '', ...rest] = [
      ...contents,
      ...wrapped(['↑', ...(above.length > 0 ? above : ['nothing'])], 100 - width),
    ];
    return [name.padEnd(width) + first, ...rest.map((line) => ' '.repeat(width) + line), ''];
  });
  return ['```text', ...lines.slice(0, -1), '```', ''].join('\n');
}

/** The document with the current drawing. @throws Error when its marks are gone */
export const withHouse = (document: string): string => withBlock(document, BLOCK, renderHouse());

function readDistricts(): District[] {
  const districts = new Map<string, District>();
  for (const file of [join(ROOT, 'src'), ...PROCESSES.map((name) => join(ROOT, name))].flatMap(filesOf)) {
    const name = districtOf(file);
    const district = districts.get(name) ?? { name, folders: foldersOf(name), imports: new Set() };
    districts.set(name, district);
    for (const imported of importsOf(file)) {
      const other = districtOf(imported);
      if (other !== name) district.imports.add(other);
    }
  }
  return [...districts.values()];
}

/** Sorts the districts so that each follows its imports. @throws Error when districts import each other in a circle */
function sorted(districts: District[]): District[] {
  const left = new Map(districts.map((district) => [district.name, district]));
  const placed: District[] = [];
  while (left.size > 0) {
    const free = [...left.values()].filter(({ imports }) => ![...imports].some((name) => left.has(name)));
    if (free.length === 0) throw new Error(`a circle of districts: ${[...left.keys()].join(', ')}`);
    for (const district of free.sort((a, b) => a.name.localeCompare(b.name))) {
      placed.push(district);
      left.delete(district.name);
    }
  }
  return placed;
}

const isCode = (path: string) => path.endsWith('.ts');

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter(isCode);
}

function importsOf(file: string): string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'), true, true);
  return importedFiles
    .map(({ fileName }) => fileName)
    .filter((name) => name.startsWith('.'))
    .map((name) => resolve(dirname(file), name));
}

function districtOf(path: string): string {
  const [first = '', second = ''] = relative(ROOT, path).split('/');
  if (first !== 'src') return `${first}/`;
  return relative(ROOT, path).split('/').length > 2 ? `${second}/` : `${second.replace(/\.ts$/, '')}.ts`;
}

/** Names of a district's folders that hold code at any depth. */
function foldersOf(district: string): string[] {
  if (!district.endsWith('/')) return [];
  const folder = join(ROOT, PROCESSES.includes(bare(district)) ? '' : 'src', district);
  return readdirSync(folder)
    .filter((name) => statSync(join(folder, name)).isDirectory() && filesOf(join(folder, name)).length > 0)
    .sort();
}

const bare = (name: string) => name.replace(/\/$/, '');

function wrapped(words: string[], width: number): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}

if (require.main === module) writeFileSync(FILE, withHouse(readFileSync(FILE, 'utf8')));
