import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An entry of a code list on the wire, as in `GET /v1/cardholders/regions`. */
export interface ReferenceItem {
  readonly code: string;
  readonly name: string;
}

/**
 * The code lists that clients choose from and that cardholder data is validated against. They are the same lists, so
 * that every listed code is accepted.
 */
export interface Reference {
  /** Countries and territories by English name; codes of ISO 3166-1 alpha-2. */
  regions(): readonly ReferenceItem[];
  /** The cities of a region by name; the code is a GeoNames id. Empty for an unknown or uninhabited region. */
  cities(region: string): readonly ReferenceItem[];
  /** Occupations by name: the four-digit unit groups of ISCO-08. */
  occupations(): readonly ReferenceItem[];
  /** Whether a region is listed. Case matters: `gb` is not listed. */
  isRegion(code: string): boolean;
  isCityOf(region: string, code: string): boolean;
  isOccupation(code: string): boolean;
}

interface CodeList {
  items: readonly ReferenceItem[];
  codes: ReadonlySet<string>;
}

const EMPTY: CodeList = { items: [], codes: new Set() };

/** Reads a list of `code<TAB>name` lines and keeps their order. */
function readList(path: string): CodeList {
  if (!existsSync(path)) return EMPTY;
  const items = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const tab = line.indexOf('\t');
      return { code: line.slice(0, tab), name: line.slice(tab + 1) };
    });
  return { items, codes: new Set(items.map((item) => item.code)) };
}

/**
 * Opens the code lists. Each file is read at its first use and kept. Cities have one file per region, so that a process
 * holds only the cities of the regions it serves, out of 135,000.
 * @param directory where `node scripts/run.mjs scripts/refresh-reference.ts` wrote the lists; tests may use another one
 */
export function createReference(directory: string = join(__dirname, 'data')): Reference {
  const lists = new Map<string, CodeList>();
  const list = (name: string): CodeList => {
    const known = lists.get(name);
    if (known) return known;
    const read = readList(join(directory, `${name}.tsv`));
    lists.set(name, read);
    return read;
  };
  const isRegion = (code: string): boolean => list('regions').codes.has(code);
  // The region becomes a file name, so only listed codes may reach the path and the cache.
  const citiesOf = (region: string): CodeList => (isRegion(region) ? list(join('cities', region)) : EMPTY);

  return {
    regions: () => list('regions').items,
    cities: (region) => citiesOf(region).items,
    occupations: () => list('occupations').items,
    isRegion,
    isCityOf: (region, code) => citiesOf(region).codes.has(code),
    isOccupation: (code) => list('occupations').codes.has(code),
  };
}
