/** @long takes each decision of the catalogue to its effect, by each face. */
import { isDeepStrictEqual } from 'node:util';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { entered, hiddenPairs, type Visitor, wordsIn } from '../console/support';
import { key } from '../support';
import { ROWS } from './rows';
import { bindEverything, bindNothing, type Case, type EveryWorld, everyWorld, type Row } from './world';

let world: EveryWorld;
let ida: Visitor;
let bob: Visitor;
beforeAll(async () => {
  world = await everyWorld();
  ida = await entered(world.desk.url, world.people.ida);
  bob = await entered(world.desk.url, world.people.bob);
}, 120_000);
afterAll(() => world.close());

/** A decision whose effect is not there yet, while everything that may take two operators does. */
async function ready({ make }: Row): Promise<Case> {
  await bindNothing(world.api);
  const made = await make(world);
  expect(await made.see()).not.toEqual(made.shown);
  await bindEverything(world.api);
  return made;
}

/** Other processes follow a stop within a second. */
async function becomes(see: Case['see'], shown: unknown): Promise<void> {
  const end = performance.now() + 5_000;
  while (!isDeepStrictEqual(await see(), shown) && performance.now() < end)
    await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await see()).toEqual(shown);
}

const REASON = 'seen the slip';

describe.each(Object.entries(ROWS))('%s', (name, row) => {
  afterEach(async () => {
    expect(await checkLedger(world.api.database)).toEqual([]);
  });

  it('has its effect over HTTP', async () => {
    const { subject, input = {}, see, shown } = await ready(row);
    const given = subject === undefined ? { input } : { subject, input };
    const preview = await world.ida('POST', `decisions/${name}/preview`, given);
    expect([preview.status, preview.text]).toEqual([200, expect.anything()]);
    expect(preview.body.takesTwo).toBe(row.two === true);
    const { version } = preview.body;
    const asked = await world.ida('POST', `decisions/${name}`, { ...given, reason: REASON, version }, key());
    expect([asked.text, asked.status]).toEqual([expect.anything(), row.two ? 202 : 200]);
    if (row.two) {
      expect(await see()).not.toEqual(shown);
      const { id } = asked.body.approval;
      const approved = await world.bob('POST', `approvals/${id}/approve`, { reason: REASON }, key());
      expect([approved.text, approved.status]).toEqual([expect.anything(), 200]);
    }
    await becomes(see, shown);
  });

  it('has its effect by the forms of the console', async () => {
    const { subject, input = {}, see, shown } = await ready(row);
    const path = `/decisions/${name}`;
    const blank = (await ida.get(path)).text;
    const fields = [
      ...hiddenPairs(blank, path),
      ...(subject === undefined ? [] : [['subject', subject] as [string, string]]),
      ['reason', REASON] as [string, string],
      ...fieldsOf(blank, input),
    ];
    const preview = await ida.post(path, fields);
    expect([preview.status, wordsIn(preview.text)]).toEqual([200, expect.anything()]);
    const done = await ida.post(path, [...hiddenPairs(preview.text, path), ['step', 'confirm']]);
    expect([done.status, wordsIn(done.text)]).toEqual([200, expect.anything()]);
    if (row.two) {
      expect(await see()).not.toEqual(shown);
      const [approval = ''] = /\/approvals\/apr_\w+/.exec(done.text) ?? [];
      const form = hiddenPairs((await bob.get(approval)).text, approval);
      const approved = await bob.post(approval, [...form, ['note', REASON], ['step', 'approve']]);
      expect(wordsIn(approved.text)).toContain('It is approved');
    }
    await becomes(see, shown);
  });
});

/** The input as the fields of the form. A list is a field a line, or a box for each value. */
function fieldsOf(page: string, input: Record<string, unknown>): [string, string][] {
  return Object.entries(input).flatMap(([name, value]): [string, string][] => {
    const field = `input.${name}`;
    if (!Array.isArray(value)) return [[field, String(value)]];
    const isText = new RegExp(`<textarea[^>]* name="${field}"`).test(page);
    return isText ? [[field, value.join('\n')]] : value.map((each) => [field, String(each)]);
  });
}
