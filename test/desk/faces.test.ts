/** @long */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import type { Catalogue } from '../../src/desk/catalogue';
import { deskClient } from '../../src/desk/cli/client';
import { programOf } from '../../src/desk/cli/program';
import type { CatalogueView } from '../../src/desk/http/catalogue-routes';
import { deskCatalogue } from '../../src/desk-catalogue';
import { PREFIXES } from '../../src/kernel/ids';
import { runOperator } from '../../src/startup/operator/run';
import { type Client, type TestApi, testApi } from '../support/api';
import { type TestDesk, testDesk } from '../support/desk';
import { fundedAccount, read } from '../transfers/payouts/support';
import { ROWS } from './every-decision/rows';
import { type Ask, asOperator, calling, operators, type Person, pendingPayout } from './support';

const run = promisify(execFile);

let api: TestApi;
let desk: TestDesk;
let ida: Person;
let ask: Ask;
let client: Client;
let accountId: string;
let catalogue: Catalogue;
let home: string;
beforeAll(async () => {
  api = await testApi();
  desk = await testDesk(api.services);
  catalogue = deskCatalogue(api.services);
  [ida] = (await operators(api, 'ida')) as [Person];
  ask = await asOperator(desk.url, ida);
  client = await api.client();
  accountId = await fundedAccount(api, client, '900000.00');
  home = await mkdtemp(join(tmpdir(), 'desk-'));
});
afterAll(async () => {
  await rm(home, { recursive: true });
  await desk.close();
  await api.close();
});

const pending = () => pendingPayout(api, client, accountId);

/** The command line of a person, who holds neither a key nor the address of a database. */
async function operator(given: NodeJS.ProcessEnv, ...argv: string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const environment = { DESK_URL: desk.url, OPERATOR_SESSION: join(home, 'session.json'), ...given };
  const code = await runOperator(argv, environment, {
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    read: async () => `${ida.secret}\n`,
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
}
const asIda = (...argv: string[]) =>
  operator({ OPERATOR_NAME: ida.name, OPERATOR_SECRET: ida.secret }, ...argv);

describe('the faces', () => {
  it('over HTTP has every list, record, decision and figure of the catalogue', async () => {
    const { body } = await calling(desk.url)('GET', '/openapi.json');
    const paths = Object.keys(body.paths);
    const expected = [
      ...catalogue.lists.map(({ name }) => `/desk/v1/lists/${name}`),
      ...[...catalogue.decisions.keys()].flatMap((name) => [
        `/desk/v1/decisions/${name}`,
        `/desk/v1/decisions/${name}/preview`,
      ]),
      ...catalogue.figures.map(({ name }) => `/desk/v1/figures/${name}`),
    ];
    expect(expected.filter((path) => !paths.includes(path))).toEqual([]);
    const shown = (await ask('GET', 'catalogue')).body as CatalogueView;
    const kinds = shown.desks.flatMap(({ records }) => records.map(({ kind }) => kind));
    expect(kinds.sort()).toEqual([...catalogue.records.keys()].sort());
    for (const { name } of catalogue.lists) expect((await ask('GET', `lists/${name}`)).status).toBe(200);
    for (const { name } of catalogue.lists)
      expect((await ask('GET', `lists/${name}?format=csv`)).status).toBe(200);
    for (const { name } of catalogue.figures) expect((await ask('GET', `figures/${name}`)).status).toBe(200);
  });

  it('of the command line has every list, decision and figure of the catalogue', async () => {
    const shown = (await ask('GET', 'catalogue')).body as CatalogueView;
    const silent = { out: () => undefined, err: () => undefined };
    const signingKeys = {
      create: async () => ({ file: '', publicKey: '' }),
      sign: async () => '',
      hasSigned: async () => false,
    };
    const client = deskClient(desk.url, '');
    const program = programOf(shown, { console: silent, client, json: false, signingKeys });
    const words = (command: Command, before: string): string[] =>
      command.commands.flatMap((each) => [
        `${before}${each.name()}`,
        ...words(each, `${before}${each.name()} `),
      ]);
    const all = words(program, '');
    const expected = [
      ...catalogue.lists.map(({ name }) => `desk list ${name}`),
      ...catalogue.figures.map(({ name }) => `desk figure ${name}`),
      ...[...catalogue.decisions.keys()].map((name) => name.replaceAll('.', ' ')),
      ...[...catalogue.records.values()].flatMap(({ download }) => download?.name.replace('.', ' ') ?? []),
      'show',
    ];
    expect(expected.filter((each) => !all.includes(each))).toEqual([]);
    expect(all.length).toBe(new Set(all).size);
    // The runbooks name commands that exist. A word after a command may be its argument.
    const runbooks = readFileSync(join(__dirname, '../../docs/runbooks.md'), 'utf8');
    const named = [...runbooks.matchAll(/`operator ((?:[a-z][a-z-]*(?: |(?=`)))+)/g)].map(([, line = '']) =>
      line.trim(),
    );
    expect(named.length).toBeGreaterThan(20);
    const isLeaf = (line: string) => all.includes(line) && !all.some((each) => each.startsWith(`${line} `));
    const known = (line: string) => all.includes(line) || isLeaf(line.replace(/ [^ ]+$/, ''));
    expect(named.filter((line) => !known(line))).toEqual([]);
  });

  it('take each decision to its effect in test/desk/every-decision', () => {
    expect(Object.keys(ROWS).sort()).toEqual([...catalogue.decisions.keys()].sort());
  });

  it('know each kind of id, or it is named here', () => {
    const without = ['cardBuffer', 'depositRefund'];
    const also = ['statusChange', 'stationTopup', 'suspense'];
    expect([...catalogue.records.keys(), ...without, ...also].sort()).toEqual(Object.keys(PREFIXES).sort());
  });
});

describe('the command line', () => {
  it('lists, shows, previews and decides without a key and a database', async () => {
    const id = await pending();
    expect((await asIda('desk')).out).toMatch(/payouts\s+\d+\s+\d+ s/);
    expect((await asIda('payout', 'list')).out).toMatch(new RegExp(`${id} .*10000.35 EUR`));
    const page = JSON.parse((await asIda('desk', 'list', 'payouts', '--limit', '1', '--json')).out);
    expect(page).toMatchObject({ list: 'payouts', items: [expect.any(Object)] });
    expect((await asIda('payout', 'list', '--csv')).out).toMatch(/^id,client,account/);
    expect((await asIda('show', id)).out).toContain(`payout ${id}: pending_approval`);
    const preview = await asIda('payout', 'approve', id, '--preview');
    expect(preview.out).toMatch(/status\s+pending_approval\s+processing/);
    expect((await read(client, accountId, id)).status).toBe('pending_approval');
    const done = await asIda('payout', 'approve', id, '--reason', 'called them');
    expect([done.code, done.out]).toEqual([0, `${id} is processing.`]);
    expect((await read(client, accountId, id)).status).toBe('processing');
    expect(JSON.parse((await asIda('desk', 'figure', 'payouts-open', '--json')).out)).toMatchObject({
      values: expect.any(Array),
    });
  });

  it('tells by its exit code what went wrong', async () => {
    const id = await pending();
    const missing = await asIda('payout', 'reject', id);
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining('--reason')]);
    const unknown = await asIda('payout', 'approve', 'pay_none');
    expect([unknown.code, unknown.err]).toEqual([3, 'payout not found.']);
    await asIda('payout', 'approve', id);
    const late = await asIda('payout', 'reject', id, '--reason', 'x', '--json');
    expect([late.code, JSON.parse(late.err).code]).toEqual([4, 'invalid_transition']);
    expect((await asIda('payout', 'invent', id)).code).toBe(2);
    const stranger = await operator({ OPERATOR_NAME: 'ida', OPERATOR_SECRET: 'x' }, 'desk');
    expect([stranger.code, stranger.err]).toEqual([1, expect.stringContaining('wrong')]);
    const nobody = await operator({}, 'desk');
    expect([nobody.code, nobody.err]).toEqual([1, expect.stringContaining('Sign in first')]);
    const away = await operator(
      { DESK_URL: 'http://127.0.0.1:9', OPERATOR_NAME: 'ida', OPERATOR_SECRET: 'x' },
      'desk',
    );
    expect([away.code, away.err]).toEqual([1, expect.stringContaining('cannot be reached')]);
  });

  it('needs no setting of an installation', async () => {
    const person = { OPERATOR_NAME: ida.name, OPERATOR_SECRET: ida.secret };
    const installation = {
      NODE_ENV: 'production',
      PORT: 'none',
      DATABASE_URL: 'mysql://x',
      PARTY_BANK_URL: 'x',
    };
    const told = await operator({ ...person, ...installation }, 'payout', 'list');
    expect([told.code, told.err]).toEqual([0, '']);
    const wrong = await operator({ ...person, DESK_URL: 'nowhere' }, 'payout', 'list', '--json');
    expect([wrong.code, JSON.parse(wrong.err)]).toMatchObject([1, { code: 'wrong_configuration' }]);
  });

  it('repeats a decision under its key', async () => {
    const id = await pending();
    const once = await asIda('payout', 'approve', id, '--key', `cli-${id}`, '--json');
    const again = await asIda('payout', 'approve', id, '--key', `cli-${id}`, '--json');
    expect([again.code, again.out]).toEqual([0, once.out]);
  });

  it('keeps the session of a login until the logout', async () => {
    const told = await operator({}, 'login', '--name', 'ida');
    expect([told.code, told.out]).toEqual([0, expect.stringContaining('ida is signed in')]);
    expect((await operator({}, 'desk')).code).toBe(0);
    expect((await operator({}, 'logout')).code).toBe(0);
    expect((await operator({}, 'desk')).code).toBe(1);
  });

  it('completes the words of the catalogue in bash', async () => {
    const { code, out } = await asIda('completion', 'bash');
    expect(code).toBe(0);
    const complete = async (...words: string[]) => {
      const line = words.map((word) => `'${word}'`).join(' ');
      const script = `${out}\nCOMP_WORDS=(operator ${line}); COMP_CWORD=${words.length}; _operator; echo "\${COMPREPLY[*]}"`;
      return (await run('bash', ['-c', script])).stdout.trim().split(' ');
    };
    expect(await complete('pay')).toEqual(['payout']);
    expect(await complete('payout', 'a')).toEqual(['approve']);
    expect(await complete('payout', 'approve', 'pay_1', '--pre')).toEqual(['--preview']);
    expect(await complete('operator', 'permit', 'opr_1', '--permissions', 'mo')).toEqual(['money']);
    expect((await asIda('completion', 'zsh')).out).toContain('compdef _operator operator');
  });

  it('uses a one-time link of an invitation without a session', async () => {
    const told = await operator({}, 'join', 'unknown');
    expect([told.code, told.err]).toEqual([3, expect.stringContaining('no such link')]);
  });

  it('ends the sessions that it begins by itself', async () => {
    await asIda('desk');
    const [open] = await api.database.query<{ count: number }>(
      `select count(*)::int as count from desk_sessions where ended_at is null`,
    );
    expect(open?.count).toBe(1); // of this test's own calls
  });
});
