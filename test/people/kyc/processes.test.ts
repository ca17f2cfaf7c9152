import { createKycActivities } from '../../../activities/kyc';
import { kycProcesses } from '../../../src/people/kyc/workflows';
import type { Client } from '../../support/api';
import { userInReview } from '../../support/uploads';
import { decide, type KycApi, kycApi } from './support';

let api: KycApi;
let client: Client;
let admin: Client;
beforeAll(async () => {
  api = await kycApi();
  [client, admin] = await Promise.all([api.client(), api.client('admin')]);
});
afterAll(() => api.close());

const stale = (olderThan: number, limit = 10, except: string[] = []) =>
  kycProcesses.stale(api.database, new Date(olderThan), limit, except);
const HOUR_MS = 60 * 60_000;

it('wakes exactly the reviews that nobody watches', async () => {
  const [lost, watched, decided] = [
    await userInReview(client),
    await userInReview(client),
    await userInReview(client),
  ];
  const now = Date.now();
  const { lookAtKycReview } = createKycActivities(api.services);
  await lookAtKycReview({ userId: watched, submission: 1, watchedUntil: now + 6 * HOUR_MS });
  await decide(admin, decided, 'completed');
  const ids = (commands: Awaited<ReturnType<typeof stale>>) => commands.map(({ workflowId }) => workflowId);
  expect(ids(await stale(now - HOUR_MS))).toEqual([]);
  expect(await stale(now + HOUR_MS)).toEqual([
    {
      workflow: 'kycReview',
      workflowId: `kyc-review-${lost}-1`,
      taskQueue: 'processes',
      action: 'look',
      args: [lost, 1],
      tenantId: client.clientId,
      summary: 'KYC review, submission 1',
    },
  ]);
  expect(ids(await stale(now + 7 * HOUR_MS))).toEqual([`kyc-review-${lost}-1`, `kyc-review-${watched}-1`]);
  expect(ids(await stale(now + 7 * HOUR_MS, 1))).toEqual([`kyc-review-${lost}-1`]);
  expect(ids(await stale(now + 7 * HOUR_MS, 1, [`kyc-review-${lost}-1`]))).toEqual([
    `kyc-review-${watched}-1`,
  ]);
});
