import { Decimal } from '../../../src/kernel/money/money';
import { openBreak } from '../../../src/process/breaks/operations';
import { transferProcesses } from '../../../src/transfers/reconcilables';
import { command, operatorEnvironment } from '../../support/operator';
import { completed, created, type DepositWorld, depositWorld, look, pay, payable, read } from './support';

let world: DepositWorld;
let environment: Record<string, string>;
beforeAll(async () => {
  world = await depositWorld();
  environment = await operatorEnvironment(world.api.database);
});
beforeEach(async () => {
  world.client = await world.api.client();
});
afterAll(() => world.close());

const operator = (...argv: string[]) => command(environment, ...argv);

const audited = (subject: string) =>
  world.api.database.query('select action, before, after from audit_log where subject = $1 order by id', [
    subject,
  ]);
const looksAsked = (id: string) =>
  world.api.database.query(
    `select workflow_id from workflow_commands where action = 'look' and args->>0 = $1`,
    [id],
  );

async function reviewed() {
  const deposit = await payable(world);
  deposit.session.risk = 'review';
  pay(deposit.session, { amount: '80.00' }, true);
  await look(world, deposit.id);
  return deposit;
}

describe('deposit', () => {
  it('list shows waiting deposits with the paid amount', async () => {
    const { id } = await reviewed();
    const { code, out } = await operator('deposit', 'list');
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`${id}.*amount_differs.*100.00 USD.*80.00 USD.*yes`));
  });

  it('approve stores a decision, an entry of the audit log and a signal to the workflow', async () => {
    const deposit = await reviewed();
    expect((await operator('deposit', 'approve', deposit.id, '--reason', 'seen the slip')).code).toBe(0);
    const decisions = await world.api.database.query(
      'select kind, amount, currency, reason, decided_by from transfer_decisions where transfer_id = $1 order by number',
      [deposit.id],
    );
    expect(decisions).toMatchObject([
      { kind: 'question', decided_by: 'system', reason: 'amount_differs' },
      { kind: 'approve', reason: 'seen the slip', decided_by: expect.stringMatching(/^operator:/) },
      { kind: 'credit', amount: '80', currency: 'USD', decided_by: 'system' },
    ]);
    expect(await audited(deposit.id)).toMatchObject([
      {
        action: 'deposit.approve',
        before: { status: 'manual_review' },
        after: { status: 'completed' },
      },
    ]);
    expect(await looksAsked(deposit.id)).toEqual([{ workflow_id: `deposit-${deposit.id}` }]);
    await look(world, deposit.id);
    expect((await read(world.client, deposit)).status).toBe('completed');
    const again = await operator('deposit', 'reject', deposit.id, '--reason', 'no');
    expect([again.code, again.err]).toEqual([4, expect.stringContaining('completed')]);
  });

  it('reject returns the paid amount', async () => {
    const deposit = await reviewed();
    expect((await operator('deposit', 'reject', deposit.id, '--reason', 'no', '--json')).code).toBe(0);
    await look(world, deposit.id);
    expect([
      (await read(world.client, deposit)).status,
      deposit.session.refunds.map(({ amount }) => amount),
    ]).toEqual(['failed', ['80.00']]);
  });

  it('refund returns a part, and refuses more than the rest', async () => {
    const deposit = await completed(world);
    expect((await operator('deposit', 'refund', deposit.id, '--amount', '25')).code).toBe(0);
    expect(await audited(deposit.id)).toMatchObject([{ action: 'deposit.refund', after: { amount: '25' } }]);
    await look(world, deposit.id);
    expect((await read(world.client, deposit)).refundedAmount).toBe('25.00');
    const beyond = await operator('deposit', 'refund', deposit.id, '--amount', '75.01');
    expect([beyond.code, beyond.err]).toEqual([4, expect.stringContaining('75.00 USD')]);
    expect((await operator('deposit', 'refund', deposit.id, '--amount', 'much')).code).not.toBe(0);
    expect((await operator('deposit', 'refund', 'dep_nothing')).code).toBe(3);
  });
});

describe('breaks', () => {
  it('are listed until they are resolved, once', async () => {
    const open = () =>
      world.api.database.transaction((tx) =>
        openBreak(tx, {
          tenantId: null,
          kind: 'test',
          subject: 'x',
          detail: 'y',
          amount: new Decimal('1.5'),
          currency: 'USD',
        }),
      );
    const first = await open();
    expect((await open()).id).toBe(first.id);
    expect((await operator('breaks', 'list')).out).toMatch(new RegExp(`${first.id}.*test.*1.50 USD`));
    expect((await operator('breaks', 'resolve', first.id)).code).not.toBe(0);
    expect((await operator('breaks', 'resolve', first.id, '--note', 'found')).code).toBe(0);
    expect((await operator('breaks', 'list')).out).not.toContain(first.id);
    expect((await operator('desk', 'list', 'breaks-all')).out).toContain(first.id);
    expect((await operator('breaks', 'resolve', first.id, '--note', 'again')).code).toBe(4);
    expect(await audited(first.id)).toMatchObject([{ action: 'breaks.resolve', after: { note: 'found' } }]);
  });
});

it('the reconciler starts overdue deposits again, and no ended ones', async () => {
  const [open, ended] = [await created(world.client), await completed(world)];
  const stale = async (minutes: number) => {
    const before = new Date(Date.now() + minutes * 60_000);
    const commands = await Promise.all(
      transferProcesses.map((each) => each.stale(world.api.database, before, 1_000, [])),
    );
    return commands.flat().map(({ workflowId }) => workflowId);
  };
  expect(await stale(-5)).not.toContain(`deposit-${open.id}`);
  expect(await stale(1)).toContain(`deposit-${open.id}`);
  expect(await stale(10_000)).not.toContain(`deposit-${ended.id}`);
});
