import { answersWrite } from '../../../src/kernel/idempotency';
import { scene } from './scene';

/** As many characters of a prepared statement's name count: what is longer could be taken for another statement. */
const NAME_LENGTH = 63;

it('names the statement that writes everything within what Postgres keeps of a name', () => {
  const s = scene({ card: '50' });
  const opened = s.does({ type: 'authorization', amount: '50.00' });
  if (typeof opened !== 'object') throw new Error('it was not authorized');
  s.does({ type: 'settle', amount: '60.00', referenceId: opened.referenceId });
  const key = {
    tenantId: 'cli_1',
    scope: 'POST /sandbox/transactions',
    key: 'k',
    fingerprint: Buffer.alloc(32),
    permanent: false,
  };
  const answers = answersWrite([{ key, answer: { status: 201, body: '{}' } }]);
  const names = [...s.writes(), ...(answers ? [answers] : [])].map(({ name }) => name);
  expect(names).toHaveLength(6);
  expect(names.join('+').length).toBeLessThanOrEqual(NAME_LENGTH);
});
