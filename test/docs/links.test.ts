import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** Links of the documents lead to existing files, chapters and scripts. Documents that the code names exist. */

const ROOT = join(__dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const CODE = ['activities', 'bench', 'client', 'contracts', 'scripts', 'src', 'test', 'workers', 'workflows'];
const FILES = [
  ...readdirSync(ROOT).filter((name) => !statSync(join(ROOT, name)).isDirectory()),
  ...[...CODE, 'docs'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  ),
];
const DOCUMENTS = FILES.filter((path) => /(^|\/)README\.md$|^docs\/.*\.md$/.test(path));

const prose = (document: string) => document.replace(/^```[^]*?^```$/gm, '');

/** Anchors of a document's chapters, as GitHub makes them. */
function anchorsOf(document: string): string[] {
  const seen = new Map<string, number>();
  return [...prose(document).matchAll(/^#{1,6} (.*)$/gm)].map(([, title = '']) => {
    const text = title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const name = text.replace(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-');
    const times = seen.get(name) ?? 0;
    seen.set(name, times + 1);
    return times === 0 ? name : `${name}-${times}`;
  });
}

/** @returns the reason when a link is broken, else nothing */
function broken(from: string, link: string): string[] {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? from : normalize(join(dirname(from), path));
  if (!existsSync(join(ROOT, target))) return [`${link}: no such file`];
  if (anchor === undefined || statSync(join(ROOT, target)).isDirectory()) return [];
  return anchorsOf(read(target)).includes(anchor) ? [] : [`${link}: no such chapter`];
}

it.each(DOCUMENTS)('%s has no broken link', (path) => {
  const links = [...prose(read(path)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  expect(links.filter((link) => !/^https?:/.test(link)).flatMap((link) => broken(path, link))).toEqual([]);
});

it('reaches every document from the README by links', () => {
  const reached = new Set(['README.md']);
  for (const path of reached)
    for (const [, link = ''] of prose(read(path)).matchAll(/\]\(([^)#\s]+\.md)[^)]*\)/g))
      if (!/^https?:/.test(link)) reached.add(normalize(join(dirname(path), link)));
  expect(DOCUMENTS.filter((path) => !reached.has(path))).toEqual([]);
});

it.each(DOCUMENTS)('%s names existing npm scripts', (path) => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  for (const [, name] of read(path).matchAll(/npm run (?:--silent )?([a-z][a-z:-]*)/g))
    expect(Object.keys(scripts)).toContain(name);
});

it('has every document that the code names', () => {
  const code = FILES.filter((path) => /\.(ts|mjs|ya?ml|sol)$|^(\.env\.example|Dockerfile)$/.test(path));
  const named = code.flatMap((path) => [...read(path).matchAll(/\bdocs\/[\w/-]+\.(?:md|yml)\b/g)]);
  expect(named.map(([path]) => path).filter((path) => !FILES.includes(path))).toEqual([]);
});
