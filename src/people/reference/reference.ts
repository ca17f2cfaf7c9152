import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One entry of a code list on the wire (`GET /v1/cardholders/regions` and its siblings). */
export interface ReferenceItem {
  readonly code: string;
  readonly name: string;
}

/**
 * The code lists that cardholder data is validated against, and that clients choose from: the same lists, so
 * that a code a client was shown is a code that is accepted.
 */
export interface Reference {
  /** Countries and territories, ISO 3166-1 alpha-2, by English name. */
  regions(): readonly ReferenceItem[];
  /**
   * The cities of a region by name, the code being a GeoNames id; none for an unknown or uninhabited region.
   */
  cities(region: string): readonly ReferenceItem[];
  /** Occupations by name: the four-digit unit groups of ISCO-08. */
  occupations(): readonly ReferenceItem[];
  /** Codes are compared as they are listed: `gb` is no region. */
  isRegion(code: string): boolean;
  isCityOf(region: string, code: string): boolean;
  isOccupation(code: string): boolean;
}

interface CodeList {
  items: readonly ReferenceItem[];
  codes: ReadonlySet<string>;
}

const EMPTY: CodeList = { items: [], codes: new Set() };

/** Reads a list of `code<TAB>name` lines, in the order in which it is to be shown. */
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
 * Opens the code lists. Each file is read at its first use and kept: the cities lie in one file per region,
 * so that a deployment that serves ten countries never holds the 135,000 cities of the world.
 *
 * @param directory where `npx tsx scripts/refresh-reference.ts` wrote the lists; tests may point elsewhere
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
  // The region names a file: nothing that is not a listed code may reach the path, nor fill the cache.
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
