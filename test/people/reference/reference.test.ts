import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildCities, buildRegions, formatList } from '../../../scripts/refresh-reference';
import { createReference } from '../../../src/people/reference/reference';

const DATA = join(__dirname, '../../../src/people/reference/data');
const reference = createReference();
const collator = new Intl.Collator('en');

describe('code lists', () => {
  const lists = {
    regions: reference.regions(),
    occupations: reference.occupations(),
    'cities of GB': reference.cities('GB'),
    'cities of US': reference.cities('US'),
  };

  it.each(Object.entries(lists))(
    '%s: codes are unique, names not empty, in the order of names',
    (_, items) => {
      expect(new Set(items.map((item) => item.code)).size).toBe(items.length);
      expect(items.every((item) => item.name !== '' && item.name === item.name.trim())).toBe(true);
      const names = items.map((item) => item.name);
      expect([...names].sort((a, b) => collator.compare(a, b))).toEqual(names);
    },
  );

  it('lists the regions of ISO 3166-1 and Kosovo', () => {
    expect(lists.regions).toHaveLength(250);
    expect(lists.regions.every((region) => /^[A-Z]{2}$/.test(region.code))).toBe(true);
    expect(lists.regions).toContainEqual({ code: 'GB', name: 'United Kingdom' });
  });

  it('lists the 436 unit groups of ISCO-08', () => {
    expect(lists.occupations).toHaveLength(436);
    expect(lists.occupations.every((occupation) => /^\d{4}$/.test(occupation.code))).toBe(true);
    const perMajorGroup = [...'0123456789'].map(
      (digit) => lists.occupations.filter((occupation) => occupation.code.startsWith(digit)).length,
    );
    expect(perMajorGroup).toEqual([3, 31, 92, 84, 29, 40, 18, 66, 40, 33]);
    expect(lists.occupations).toContainEqual({ code: '2512', name: 'Software developers' });
  });

  it('has cities for every region where people live', () => {
    const empty = lists.regions.filter((region) => reference.cities(region.code).length === 0);
    expect(empty.map((region) => region.code).sort()).toEqual(['BV', 'HM', 'IO', 'UM']);
  });

  it('distinguishes cities of the same name', () => {
    const springfields = lists['cities of US'].filter((city) => /^Springfield \([A-Z]{2}\)$/.test(city.name));
    expect(springfields.length).toBeGreaterThan(10);
    expect(lists['cities of US'].some((city) => city.name === 'Springfield')).toBe(false);
  });

  it('answers a list from memory the second time', () => {
    expect(reference.cities('GB')).toBe(reference.cities('GB'));
    expect(reference.regions()).toBe(reference.regions());
  });
});

describe('membership', () => {
  it.each([
    ['GB', true],
    ['XK', true],
    ['gb', false],
    ['GBR', false],
    ['ZZ', false],
    ['UK', false],
    ['', false],
    ['__proto__', false],
  ])('isRegion(%j) is %s', (code, expected) => expect(reference.isRegion(code)).toBe(expected));

  it.each([
    ['GB', '2643743', true],
    ['US', '5128581', true],
    ['US', '2643743', false],
    ['GB', 'London', false],
    ['GB', '', false],
    ['ZZ', '2643743', false],
    ['../regions', 'GB', false],
    ['..', '2643743', false],
  ])('isCityOf(%j, %j) is %s', (region, code, expected) =>
    expect(reference.isCityOf(region, code)).toBe(expected),
  );

  it.each([
    ['2512', true],
    ['0110', true],
    ['110', false],
    ['251', false],
    ['2515', false],
    ['', false],
  ])('isOccupation(%j) is %s', (code, expected) => expect(reference.isOccupation(code)).toBe(expected));

  it('has no cities for an unknown region', () => {
    expect(reference.cities('ZZ')).toEqual([]);
    expect(reference.cities('../occupations')).toEqual([]);
  });
});

describe('refresh', () => {
  it('would write the lists that are in the repository', () => {
    expect(readFileSync(join(DATA, 'regions.tsv'), 'utf8')).toBe(formatList(buildRegions()));
    const cities = buildCities();
    const changed = [...cities].filter(
      ([region, items]) => readFileSync(join(DATA, 'cities', `${region}.tsv`), 'utf8') !== formatList(items),
    );
    expect(changed.map(([region]) => region)).toEqual([]);
    expect(cities.size).toBe(246);
  });

  it('writes the lists in a form that can be read', () => {
    expect(formatList([...reference.occupations()])).toBe(
      readFileSync(join(DATA, 'occupations.tsv'), 'utf8'),
    );
  });
});
